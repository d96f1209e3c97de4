/*
 * draws.h: the generators of shape.h's values, for requests (judge/draw.h)
 *
 * The first rows of the draws of every lab that trains. A request's path leads
 * from the seed to that of the values: a parameter's number, or those of a step
 * and a micro-batch, then one of NN_PATH_INPUT, ...
 */
#ifndef COMMLAB_NN_DRAWS_H
#define COMMLAB_NN_DRAWS_H

#include "judge/draw.h"
#include "nn/shape.h"

enum { NN_DRAW_FLOATS, NN_DRAW_BYTES, NN_DRAWS };

draw_fn nn_draw_floats; /* in [-f, f); arg[0]: nn_draw_factor(f) */
draw_fn nn_draw_bytes;  /* below arg[0] */
int64_t nn_draw_factor(float factor);

#endif
