#include "judge/draw.h"

#include "judge/data.h"

static int fill(const struct draw_from *from, int64_t type, int sums, void *out,
                size_t nbytes)
{
    if (type < 0 || type >= DATA_TYPES)
        return -1;
    const size_t size = data_size((enum data_type)type);
    if (nbytes % size != 0)
        return -1;
    if (sums)
        data_fill_sum(out, nbytes / size, (enum data_type)type, from->nranks,
                      from->seed);
    else
        data_fill(out, nbytes / size, (enum data_type)type, from->seed);
    return 0;
}

int draw_data(const struct draw_from *from, const int64_t *arg, void *out,
              size_t nbytes)
{
    return fill(from, arg[0], 0, out, nbytes);
}

static int draw_sums(const struct draw_from *from, const int64_t *arg,
                     void *out, size_t nbytes)
{
    return fill(from, arg[0], 1, out, nbytes);
}

static struct draw_row row_of(const struct judge_lab *lab, int32_t what)
{
    if (what == DRAW_DATA)
        return (struct draw_row){draw_data, 0};
    if (what == DRAW_SUMS)
        return (struct draw_row){draw_sums, 0};
    for (int32_t i = 0; what >= 0 && lab->draws && lab->draws[i].fn; i++)
        if (i == what)
            return lab->draws[i];
    return (struct draw_row){0};
}

int draw_make(const struct judge_lab *lab, struct draw_from from,
              const struct draw_ask *d, void *out, size_t nbytes)
{
    const struct draw_row row = row_of(lab, d->what);
    if (!row.fn || d->npath > DRAW_PATH || (d->of_root && !row.shared))
        return -1;
    for (uint64_t i = 0; i < d->npath; i++)
        from.seed = judge_seed(from.seed, d->path[i]);
    return row.fn(&from, d->arg, out, nbytes);
}
