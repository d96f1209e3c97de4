/*
 * judge_layer.h: the weights of part 1's layers, for cases and judge, and the
 * layers on one device in double
 */
#ifndef LAB9_JUDGE_LAYER_H
#define LAB9_JUDGE_LAYER_H

#include "judge/judge.h"

enum layer_weights { LAYER_GAIN, LAYER_UP, LAYER_DOWN };

struct layers { /* a case's layers */
    int nlayers, width, hidden;
    int rows; /* per rank */
};

/* hidden_each: columns of each rank. */
struct layers layers_of(const struct plan_case *c, int nranks);

/* Element i of a layer's whole matrix; the same in every run. */
float layer_weight(enum layer_weights which, int layer, size_t i);

judge_fn judge_norms;

#endif
