#include "judge_model.h"

#include <string.h> /* strcmp */

#include "judge/data.h"

struct model_layer model_layer(const struct plan_case *c, int nranks)
{
    return (struct model_layer){(int)plan_int(c, "rows", 4),
                                (int)plan_int(c, "in", 3) * nranks,
                                (int)plan_int(c, "out", 4) * nranks};
}

void model_integers(uint64_t seed, enum model_what what, size_t count,
                    float *out)
{
    data_fill(out, count, DATA_FLOAT, judge_seed(seed, what));
}

void model_reals(uint64_t seed, enum model_what what, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = nn_input(judge_seed(seed, what), i);
}

/* The greatest common divisor. */
static int common(int a, int b)
{
    while (b) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static enum model_schedule schedule_named(const char *name)
{
    return strcmp(name, "1f1b") == 0          ? MODEL_1F1B
           : strcmp(name, "interleaved") == 0 ? MODEL_INTERLEAVED
           : strcmp(name, "zero-h1") == 0     ? MODEL_ZERO_H1
           : strcmp(name, "zero-v") == 0      ? MODEL_ZERO_V
                                              : MODEL_FILL_DRAIN;
}

struct model model_of(const struct plan_case *c, int nranks)
{
    struct model m = {
        .task = nn_task_of(c),
        .schedule = schedule_named(plan_text(c, "schedule", "1f1b")),
        .chunks = (int)plan_int(c, "chunks", 2),
        .checkpoint = (int)plan_int(c, "checkpoint", 0),
    };
    m.tp = common((int)plan_int(c, "tp", 1), nranks);
    m.pp = common((int)plan_int(c, "pp", nranks), nranks / m.tp);
    m.dp = nranks / m.tp / m.pp;
    if (plan_int(c, "blocks", 0)) // blocks per stage
        m.task.shape.depth = 2 * (int)plan_int(c, "blocks", 0) * m.pp;
    if (m.schedule == MODEL_ZERO_V)
        m.chunks = 2;
    else if (m.schedule != MODEL_INTERLEAVED || m.pp == 1)
        m.chunks = 1;
    else // interleaved: groups of micro-batches are whole
        m.task.micro = (m.task.micro + m.pp - 1) / m.pp * m.pp;
    return m;
}

int model_has_halves(const struct model *m)
{
    return m->schedule == MODEL_ZERO_H1 || m->schedule == MODEL_ZERO_V;
}

int model_run(int nstages, int vee, int stage, int chunk)
{
    return vee && chunk == 1 ? 2 * nstages - 1 - stage
                             : chunk * nstages + stage;
}

int model_first_block(int nblocks, int v, int n)
{
    return nblocks * v / n;
}

uint64_t model_data_seed(uint64_t seed, int d, int step, int micro)
{
    return nn_data_seed(judge_seed(seed, (uint64_t)d), step, micro);
}
