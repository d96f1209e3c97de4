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
 * layer that is *skipped* in a step passes its input on: its parameter is then
 * unused and gets no gradient.
 *
 * The network on the device (mlp.h) and the judges' reference (reference.h) are
 * both built from this, with the same seeds.
 */
#ifndef COMMLAB_NN_SHAPE_H
#define COMMLAB_NN_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NN_MAX_DEPTH = 64 };

enum nn_optimizer_kind { NN_SGD, NN_ADAMW };

struct nn_hyper { /* of an optimizer */
    float lr;
    float beta1, beta2, eps, decay; /* AdamW only */
};

enum nn_loss {
    NN_MEAN_SQUARES,  /* mean of y^2, over rows and columns */
    NN_MSE,           /* mean of (y - target)^2; targets are floats */
    NN_CROSS_ENTROPY, /* mean over rows of -log softmax(y)[target]; bytes */
};

struct nn_shape {
    int depth;           /* layers, at most NN_MAX_DEPTH */
    int in, hidden, out; /* widths */
    int rows;            /* of a micro-batch on one device */
    enum nn_loss loss;
    int tied, tied_to; /* layers of one matrix, tied < tied_to; 0, 0: none */
    uint64_t frozen;   /* bit l: layer l is not trained */
};

/* Inputs and outputs of layer l. */
int nn_layer_in(const struct nn_shape *s, int l);
int nn_layer_out(const struct nn_shape *s, int l);

/* The number of elements in W_l; of targets in one micro-batch. */
size_t nn_layer_count(const struct nn_shape *s, int l);
size_t nn_target_count(const struct nn_shape *s);
size_t nn_target_size(const struct nn_shape *s); /* bytes of one target */

/* The layer whose matrix layer l uses: itself, or the one it is tied to. */
int nn_layer_param(const struct nn_shape *s, int l);
int nn_is_frozen(const struct nn_shape *s, int l);

/* True for a layer with as many outputs as inputs, other than the last. */
int nn_may_skip(const struct nn_shape *s, int l);

/* The number of elements in all matrices, each counted once. */
size_t nn_param_count(const struct nn_shape *s);

/* The reason why the shape is invalid, in one line; NULL if it is valid. */
const char *nn_shape_problem(const struct nn_shape *s);

/*
 * Values that follow from a seed: element i of W_l, of an input, of a target (a
 * float, or a byte below `out`). All are exactly representable as floats, so
 * that device and reference start from the same values. The scale of the
 * weights keeps activations from vanishing.
 */
float nn_weight(const struct nn_shape *s, uint64_t seed, int l, size_t i);
void nn_weights(const struct nn_shape *s, uint64_t seed, int l, size_t first,
                float *w, size_t n); /* n of them */
float nn_input(uint64_t seed, size_t i);
float nn_target(uint64_t seed, size_t i);
uint8_t nn_target_byte(const struct nn_shape *s, uint64_t seed, size_t i);

/* The factor between elements of W_l and numbers in [-1, 1). */
float nn_reach(const struct nn_shape *s, int l);

/* In [-1, 1), in steps of 2^-23: exactly a float. Element i of an input is that
 * of number i of a seed's own seed, so many steps along its sequence. */
float nn_uniform(uint64_t bits);
/* values[i]: factor times that of number first + i of a seed. */
void nn_uniforms(uint64_t seed, size_t first, float factor, float *values,
                 size_t n);
enum { NN_PATH_INPUT = 1001, NN_PATH_TARGET, NN_PATH_TARGET_BYTE };

/* The seed of a rank's data for a micro-batch of a step; both count from 0. */
uint64_t nn_data_seed(uint64_t rank_seed, int step, int micro);

#ifdef __cplusplus
}
#endif
#endif
