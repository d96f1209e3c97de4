#include "nn/draws.h"

#include <string.h> /* memcpy */

#include "base/mix.h"

int64_t nn_draw_factor(float factor)
{
    int64_t arg = 0;
    memcpy(&arg, &factor, sizeof factor);
    return arg;
}

int nn_draw_floats(const struct draw_from *from, const int64_t *arg, void *out,
                   size_t nbytes)
{
    float factor;
    memcpy(&factor, arg, sizeof factor);
    nn_uniforms(from->seed, 0, factor, out, nbytes / sizeof factor);
    return nbytes % sizeof factor ? -1 : 0;
}

int nn_draw_bytes(const struct draw_from *from, const int64_t *arg, void *out,
                  size_t nbytes)
{
    uint8_t *const bytes = out;
    if (arg[0] < 1 || arg[0] > 256)
        return -1;
    for (size_t i = 0; i < nbytes; i++)
        bytes[i] = (uint8_t)(mix_nth(from->seed, i) % (uint64_t)arg[0]);
    return 0;
}
