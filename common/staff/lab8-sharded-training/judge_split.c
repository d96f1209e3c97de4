#include "judge_split.h"

#include "nn/task.h"

struct split split_of(const struct plan_case *c, int nranks)
{
    const struct nn_shape shape = nn_task_of(c).shape;
    const int per_unit = (int)plan_int(c, "per_unit", 1);
    const size_t n = (size_t)nranks;
    struct split s = {.nranks = nranks};
    for (int l = 0; l < shape.depth; l++) {
        struct split_unit *const u = &s.unit[l / per_unit];
        u->first = l % per_unit ? u->first : l;
        u->nlayers++;
        u->count += nn_layer_count(&shape, l);
        s.nunits = l / per_unit + 1;
    }
    for (int i = 0; i < s.nunits; i++) {
        struct split_unit *const u = &s.unit[i];
        u->share = (u->count + n - 1) / n;
        u->begin = s.total;
        s.total += u->share;
        s.widest = n * u->share > s.widest ? n * u->share : s.widest;
    }
    return s;
}

int split_per_node(const struct plan_case *c, int nranks)
{
    int n = (int)plan_int(c, "per_node", nranks);
    while (nranks % n)
        n--;
    return n;
}

long split_place(const struct split *s, int rank, size_t at)
{
    size_t before = 0;
    int i = 0;
    while (at >= s->unit[i].begin + s->unit[i].share)
        before += s->unit[i++].count;
    const struct split_unit *const u = &s->unit[i];
    const size_t own = (size_t)rank * u->share + (at - u->begin);
    return own < u->count ? (long)(before + own) : -1;
}
