#include "nn/lm_shape.h"

#include <math.h> /* sqrtf */

#include "base/mix.h"
#include "nn/shape.h" /* nn_input */

int lm_param_of(int layer, enum lm_of_layer which)
{
    return LM_FIRST_LAYER + layer * LM_OF_LAYER + (int)which;
}

int lm_param_last(const struct lm_shape *s)
{
    return lm_param_of(s->layers, 0);
}

int lm_params(const struct lm_shape *s)
{
    return lm_param_last(s) + 1;
}

/* Which parameter of a layer this is; LM_OF_LAYER if it is in no layer. */
static int kind_of(const struct lm_shape *s, int param)
{
    if (param < LM_FIRST_LAYER || param == lm_param_last(s))
        return LM_OF_LAYER;
    return (param - LM_FIRST_LAYER) % LM_OF_LAYER;
}

int lm_is_gain(const struct lm_shape *s, int param)
{
    const int kind = kind_of(s, param);
    return kind == LM_NORM1 || kind == LM_NORM2 || param == lm_param_last(s);
}

int lm_param_rows(const struct lm_shape *s, int param)
{
    if (lm_is_gain(s, param))
        return 1;
    switch (kind_of(s, param)) {
    case LM_OF_LAYER: return param == LM_EMBED ? s->vocabulary : s->context;
    case LM_DOWN: return s->hidden;
    default: return s->width;
    }
}

int lm_param_cols(const struct lm_shape *s, int param)
{
    switch (kind_of(s, param)) {
    case LM_QKV: return 3 * s->width;
    case LM_UP: return s->hidden;
    default: return s->width;
    }
}

size_t lm_param_count(const struct lm_shape *s, int param)
{
    return (size_t)lm_param_rows(s, param) * (size_t)lm_param_cols(s, param);
}

size_t lm_param_at(const struct lm_shape *s, int param)
{
    size_t at = 0;
    for (int p = 0; p < param; p++)
        at += lm_param_count(s, p);
    return at;
}

size_t lm_count(const struct lm_shape *s)
{
    return lm_param_at(s, lm_params(s));
}

int lm_rows(const struct lm_shape *s)
{
    return s->sequences * s->context;
}

const char *lm_shape_problem(const struct lm_shape *s)
{
    if (s->layers < 1 || s->layers > LM_MAX_LAYERS)
        return "there must be 1 to 64 layers";
    if (s->vocabulary < 1 || s->vocabulary > LM_VOCABULARY)
        return "a byte has at most 256 values";
    if (s->width < 1 || s->hidden < 1 || s->context < 1 || s->sequences < 1)
        return "widths, context and sequences must be at least 1";
    if (s->heads < 1 || s->width % s->heads != 0)
        return "the width must be a multiple of the number of heads";
    return NULL;
}

/* ---- values -------------------------------------------------------------- */

float lm_reach(const struct lm_shape *s, int param)
{
    if (lm_is_gain(s, param))
        return 0.125f;
    // a product keeps the variance of its input; E keeps that of logits
    const int in = param < LM_FIRST_LAYER ? s->width : lm_param_rows(s, param);
    return sqrtf(3.0f / (float)in);
}

float lm_weight(const struct lm_shape *s, uint64_t seed, int param, size_t i)
{
    const float u = nn_input(mix_nth(seed, (uint64_t)param), i);
    const float w = lm_reach(s, param) * u;
    return lm_is_gain(s, param) ? 1 + w : w;
}

uint8_t lm_token(const struct lm_shape *s, uint64_t seed, size_t i)
{
    return (uint8_t)(mix_nth(mix_nth(seed, LM_PATH_TOKEN), i) %
                     (uint64_t)s->vocabulary);
}

uint8_t lm_target(const struct lm_shape *s, uint64_t seed, size_t i)
{
    return (uint8_t)(mix_nth(mix_nth(seed, LM_PATH_TARGET), i) %
                     (uint64_t)s->vocabulary);
}
