/*
 * shape.h: the shape of the network of labs 2 to 5 and 8; pure data
 *
 * A deep perceptron without biases. Layer l has a weight matrix W_l. x is
 * (rows, in), a row for each sample; all matrices are stored row by row:
 *
 *     z_l = a_l @ W_l        (rows, out_l) = (rows, in_l) @ (in_l, out_l)
 *     a_{l+1} = gelu(z_l)    but the last layer's z is the output y
 *
 *         x -> W_0 -> gelu -> W_1 -> gelu -> ... -> W_{depth-1} -> y -> loss
 *
 * Parameters are registered in layer order: parameter l is W_l. Layer `tied_to`
 * may share its matrix with layer `tied`; layers in `frozen` are not trained. A
 * layer that is *skipped* in a step passes its input through: its parameter is
 * unused and gets no gradient.
 *
 * With heads, the network is the transformer of nn/lm_shape.h instead: layer 0
 * is the embedding (E and P), the last layer the output, and each layer between
 * them a block. `hidden` is its width, `out` its vocabulary, and a layer's
 * matrices are one parameter, in the order of lm_shape.h. The last layer's own
 * parameter is the last norm's gain; it also uses E.
 *
 * Both the network on the device (mlp.h) and the judges' reference
 * (reference.h) are built from this, with the same seeds.
 */
#ifndef COMMLAB_NN_SHAPE_H
#define COMMLAB_NN_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "nn/lm_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NN_MAX_DEPTH = 64 };

enum nn_optimizer_kind { NN_SGD, NN_ADAMW };

struct nn_hyper { /* parameters of an optimizer */
    float lr;
    float beta1, beta2, eps, decay; /* AdamW only */
};

enum nn_loss {
    NN_MEAN_SQUARES,  /* mean of y^2 over rows and columns */
    NN_MSE,           /* mean of (y - target)^2; targets are floats */
    NN_CROSS_ENTROPY, /* mean over rows of -log softmax(y)[target]; targets
                         are bytes */
};

struct nn_shape {
    int depth;           /* layers, at most NN_MAX_DEPTH */
    int in, hidden, out; /* widths */
    int rows;            /* rows in a micro-batch on one device */
    enum nn_loss loss;
    int tied, tied_to; /* layers that share a matrix, tied < tied_to;
                          0, 0: none */
    uint64_t frozen;   /* bit l: layer l is not trained */
    int heads;         /* a transformer's, in each block; 0: a perceptron */
    int context, feed; /* a transformer's context, and columns inside its MLP */
};

/* The transformer's shape; and its first parameter in layer l, or, for l =
 * depth, the number of all parameters. */
struct lm_shape nn_lm_shape(const struct nn_shape *s);
int nn_lm_param(const struct nn_shape *s, int l);

/* The number of inputs and of outputs of layer l: rows and columns of its
 * parameter. */
int nn_layer_in(const struct nn_shape *s, int l);
int nn_layer_out(const struct nn_shape *s, int l);

/* The number of elements in W_l, and of targets in one micro-batch. */
size_t nn_layer_count(const struct nn_shape *s, int l);
size_t nn_target_count(const struct nn_shape *s);
size_t nn_target_size(const struct nn_shape *s); /* bytes of one target */

/* The layer whose matrix layer l uses: itself, or the layer it is tied to. */
int nn_layer_param(const struct nn_shape *s, int l);
int nn_is_frozen(const struct nn_shape *s, int l);

/* True for a layer, other than the last, with as many outputs as inputs. */
int nn_may_skip(const struct nn_shape *s, int l);

/* The number of elements in all matrices, each counted once. */
size_t nn_param_count(const struct nn_shape *s);

/* The reason why the shape is invalid, in one line; NULL if it is valid. */
const char *nn_shape_problem(const struct nn_shape *s);

/*
 * Values drawn from a seed: element i of W_l, of an input, of a target (a
 * float, or a byte below `out`). All are exact as floats, so device and
 * reference start from the same values. The scale of the weights keeps
 * activations from vanishing.
 */
float nn_weight(const struct nn_shape *s, uint64_t seed, int l, size_t i);
void nn_weights(const struct nn_shape *s, uint64_t seed, int l, size_t first,
                float *w, size_t n); /* writes n weights */
float nn_input(uint64_t seed, size_t i);
float nn_target(uint64_t seed, size_t i);
uint8_t nn_target_byte(const struct nn_shape *s, uint64_t seed, size_t i);

/* The factor that turns numbers in [-1, 1) into elements of W_l. */
float nn_reach(const struct nn_shape *s, int l);

/* values[i] = factor times the float in [-1, 1) that number first + i of the
 * seed's sequence gives. */
void nn_uniforms(uint64_t seed, size_t first, float factor, float *values,
                 size_t n);
enum { NN_PATH_INPUT = 1001, NN_PATH_TARGET, NN_PATH_TARGET_BYTE };

/* The seed of a rank's data for a micro-batch of a step; both count from 0. */
uint64_t nn_data_seed(uint64_t rank_seed, int step, int micro);

#ifdef __cplusplus
}
#endif
#endif
