#include "nn/shape.h"

#include <math.h> /* sqrtf */

#include "base/mix.h"

struct lm_shape nn_lm_shape(const struct nn_shape *s)
{
    return (struct lm_shape){.vocabulary = s->out,
                             .width = s->hidden,
                             .heads = s->heads,
                             .hidden = s->feed,
                             .layers = s->depth - 2,
                             .context = s->context,
                             .sequences =
                                 s->context > 0 ? s->rows / s->context : 0};
}

int nn_lm_param(const struct nn_shape *s, int l)
{
    if (l == s->depth)
        return lm_param_of(s->depth - 2, 0) + 1;
    return l == 0 ? LM_EMBED : lm_param_of(l - 1, 0);
}

/* The number of elements in a transformer's layer. */
static size_t lm_layer_count(const struct nn_shape *s, int l)
{
    const struct lm_shape lm = nn_lm_shape(s);
    size_t count = 0;
    for (int p = nn_lm_param(s, l); p < nn_lm_param(s, l + 1); p++)
        count += lm_param_count(&lm, p);
    return count;
}

int nn_layer_in(const struct nn_shape *s, int l)
{
    if (s->heads)
        return (int)(lm_layer_count(s, l) / (size_t)s->hidden);
    return l == 0 ? s->in : s->hidden;
}

int nn_layer_out(const struct nn_shape *s, int l)
{
    if (s->heads)
        return s->hidden;
    return l == s->depth - 1 ? s->out : s->hidden;
}

size_t nn_layer_count(const struct nn_shape *s, int l)
{
    return (size_t)nn_layer_in(s, l) * (size_t)nn_layer_out(s, l);
}

size_t nn_target_count(const struct nn_shape *s)
{
    switch (s->loss) {
    case NN_MSE: return (size_t)s->rows * (size_t)s->out;
    case NN_CROSS_ENTROPY: return (size_t)s->rows;
    default: return 0;
    }
}

size_t nn_target_size(const struct nn_shape *s)
{
    return s->loss == NN_CROSS_ENTROPY ? sizeof(uint8_t) : sizeof(float);
}

int nn_layer_param(const struct nn_shape *s, int l)
{
    return s->tied_to && l == s->tied_to ? s->tied : l;
}

int nn_is_frozen(const struct nn_shape *s, int l)
{
    return (int)(s->frozen >> nn_layer_param(s, l) & 1);
}

int nn_may_skip(const struct nn_shape *s, int l)
{
    return !s->heads && l < s->depth - 1 &&
           nn_layer_in(s, l) == nn_layer_out(s, l);
}

size_t nn_param_count(const struct nn_shape *s)
{
    size_t count = 0;
    for (int l = 0; l < s->depth; l++)
        if (nn_layer_param(s, l) == l)
            count += nn_layer_count(s, l);
    return count;
}

static const char *lm_problem(const struct nn_shape *s)
{
    const struct lm_shape lm = nn_lm_shape(s);
    if (s->depth < 3)
        return "a transformer has at least 3 layers";
    if (s->context < 1 || s->rows % s->context != 0)
        return "rows must be whole sequences of `context` tokens";
    if (s->loss != NN_CROSS_ENTROPY || s->tied_to || s->frozen)
        return "a transformer has a cross entropy, and neither frozen nor "
               "tied layers";
    return lm_shape_problem(&lm);
}

const char *nn_shape_problem(const struct nn_shape *s)
{
    if (s->depth < 1 || s->depth > NN_MAX_DEPTH)
        return "depth must be 1 to 64 layers";
    if (s->in < 1 || s->hidden < 1 || s->out < 1 || s->rows < 1)
        return "widths and rows must be at least 1";
    if (s->loss == NN_CROSS_ENTROPY && s->out > 256)
        return "a byte has at most 256 classes";
    if (s->tied < 0 || s->tied_to < 0 || s->tied_to >= s->depth ||
        (s->tied_to && s->tied >= s->tied_to))
        return "tied and tied_to must be two layers, in order";
    if (s->tied_to &&
        nn_layer_count(s, s->tied) != nn_layer_count(s, s->tied_to))
        return "tied layers must have matrices of one size";
    return s->heads ? lm_problem(s) : NULL;
}

/* ---- values -------------------------------------------------------------- */

/* A number in [-1, 1), in steps of 2^-23, which is exact as a float. Element i
 * of an input is made from number i of the sequence of a seed derived from the
 * data seed. */
static float uniform(uint64_t bits)
{
    return (float)((int32_t)(bits >> 40) - (1 << 23)) / (float)(1 << 23);
}

void nn_uniforms(uint64_t seed, size_t first, float factor, float *values,
                 size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = factor * uniform(mix_nth(seed, first + i));
}

float nn_reach(const struct nn_shape *s, int l)
{
    // variance 2/in: gelu lets about half of it through
    return sqrtf(6.0f / (float)nn_layer_in(s, nn_layer_param(s, l)));
}

/* n weights of a transformer's layer, from its element `first` on */
static void lm_weights(const struct nn_shape *s, uint64_t seed, int l,
                       size_t first, float *w, size_t n)
{
    const struct lm_shape lm = nn_lm_shape(s);
    int p = nn_lm_param(s, l);
    for (size_t i = 0; i < n; i++, first++) {
        for (; first >= lm_param_count(&lm, p); p++)
            first -= lm_param_count(&lm, p);
        w[i] = lm_weight(&lm, seed, p, first);
    }
}

void nn_weights(const struct nn_shape *s, uint64_t seed, int l, size_t first,
                float *w, size_t n)
{
    if (s->heads)
        lm_weights(s, seed, l, first, w, n);
    else
        nn_uniforms(mix_nth(seed, (uint64_t)nn_layer_param(s, l)), first,
                    nn_reach(s, l), w, n);
}

float nn_weight(const struct nn_shape *s, uint64_t seed, int l, size_t i)
{
    float w;
    nn_weights(s, seed, l, i, &w, 1);
    return w;
}

float nn_input(uint64_t seed, size_t i)
{
    return uniform(mix_nth(mix_nth(seed, NN_PATH_INPUT), i));
}

float nn_target(uint64_t seed, size_t i)
{
    return uniform(mix_nth(mix_nth(seed, NN_PATH_TARGET), i));
}

uint8_t nn_target_byte(const struct nn_shape *s, uint64_t seed, size_t i)
{
    const uint64_t random = mix_nth(mix_nth(seed, NN_PATH_TARGET_BYTE), i);
    return (uint8_t)(random % (uint64_t)s->out);
}

uint64_t nn_data_seed(uint64_t rank_seed, int step, int micro)
{
    return mix_nth(mix_nth(rank_seed, (uint64_t)step), (uint64_t)micro);
}
