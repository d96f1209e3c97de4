/*
 * draws.h: the generators of shape.h's values, for requests (judge/draw.h)
 *
 * Every lab that trains starts its draws with these rows. A request's path
 * leads from the seed to the seed of the values: a parameter's number, or the
 * numbers of a step and a micro-batch followed by NN_PATH_INPUT or another
 * NN_PATH_ constant.
 */
#ifndef COMMLAB_NN_DRAWS_H
#define COMMLAB_NN_DRAWS_H

#include "judge/draw.h"
#include "nn/shape.h"

enum { NN_DRAW_FLOATS, NN_DRAW_BYTES, NN_DRAWS };

draw_fn nn_draw_floats; /* values in [-f, f); arg[0]: nn_draw_factor(f) */
draw_fn nn_draw_bytes;  /* values below arg[0] */
int64_t nn_draw_factor(float factor);

#endif
