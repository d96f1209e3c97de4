/*
 * lm_shape.h: the shape of the transformer of common/nn; pure data
 *
 * A language model over bytes. B sequences of T tokens make rows = B T rows of
 * width C, one for each token; all matrices are stored row by row:
 *
 *     x      = E[token] + P[place in the sequence]              (rows, C)
 *     each layer:
 *         h  = x + attention(norm(x) @ QKV) @ OUT               (rows, C)
 *         x  = h + gelu(norm(h) @ UP) @ DOWN                    (rows, C)
 *     logits = norm(x) @ E^T                                    (rows, V)
 *     loss   = mean over rows of -log softmax(logits)[target]
 *
 * norm is RMSNorm, with a gain for each use; attention is causal, with `heads`
 * heads of C / heads columns each. There are no biases. E is used twice: the
 * output layer is tied to the embedding.
 *
 * Parameters are registered in this order: E (V, C), P (T, C), the six of each
 * layer, the last norm's gain. So a layer's parameters are consecutive.
 *
 * Both the model on the device (lm.h) and the reference (lm_reference.h) are
 * built from this, with the same seeds.
 */
#ifndef COMMLAB_NN_LM_SHAPE_H
#define COMMLAB_NN_LM_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { LM_MAX_LAYERS = 64, LM_VOCABULARY = 256 };

/* The parameters of a layer, in order of registration. */
enum lm_of_layer {
    LM_NORM1, /* (1, C) */
    LM_QKV,   /* (C, 3 C): queries, keys, values */
    LM_OUT,   /* (C, C) */
    LM_NORM2, /* (1, C) */
    LM_UP,    /* (C, hidden) */
    LM_DOWN,  /* (hidden, C) */
    LM_OF_LAYER
};

/* LM_BF16: products with weights take operands rounded to bf16, and passes read
 * every parameter as bf16. Sums, activations and gradients are fp32. */
enum lm_precision { LM_FP32, LM_BF16 };

struct lm_shape {
    int vocabulary; /* V, at most LM_VOCABULARY: a token is a byte */
    int width;      /* C, a multiple of heads */
    int heads;
    int hidden; /* columns inside the MLP */
    int layers;
    int context;   /* T */
    int sequences; /* B, in a micro-batch on one device */
    enum lm_precision precision;
};

#define LM_EPS 1e-5 /* norm(x) = x / sqrt(mean(x^2) + LM_EPS) * gain */

/* Indices of parameters: the first ones, a layer's, and the last norm's
 * gain. */
enum { LM_EMBED, LM_PLACE, LM_FIRST_LAYER };
int lm_param_of(int layer, enum lm_of_layer which);
int lm_param_last(const struct lm_shape *s);

int lm_params(const struct lm_shape *s); /* number of parameters */
int lm_param_rows(const struct lm_shape *s, int param);
int lm_param_cols(const struct lm_shape *s, int param);
size_t lm_param_count(const struct lm_shape *s, int param);
/* The number of elements in all parameters, and in those before `param`. */
size_t lm_count(const struct lm_shape *s);
size_t lm_param_at(const struct lm_shape *s, int param);

int lm_rows(const struct lm_shape *s);

/* The reason why the shape is invalid, in one line; NULL if it is valid. */
const char *lm_shape_problem(const struct lm_shape *s);

/*
 * Values drawn from a seed: element i of a parameter; token i and target i of a
 * micro-batch, below the vocabulary. Parameters are floats: u * lm_reach(),
 * plus 1 for a gain, with u = nn_input(mix_nth(seed, param), i).
 */
int lm_is_gain(const struct lm_shape *s, int param);
float lm_reach(const struct lm_shape *s, int param);
enum { LM_PATH_TOKEN = 2001, LM_PATH_TARGET };
float lm_weight(const struct lm_shape *s, uint64_t seed, int param, size_t i);
uint8_t lm_token(const struct lm_shape *s, uint64_t seed, size_t i);
uint8_t lm_target(const struct lm_shape *s, uint64_t seed, size_t i);

#ifdef __cplusplus
}
#endif
#endif
