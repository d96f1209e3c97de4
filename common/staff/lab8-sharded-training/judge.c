/*
 * judge.c: the judges of lab 8's cases: of plans, shares, norms and
 * checkpoints. Those of training runs are in judge_train.c.
 */
#include <math.h>   /* sqrt */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */
#include <string.h> /* memcmp */

#include "judge/data.h"
#include "judge/graph/counts.h"
#include "judge/graph/spans.h"
#include "judge_split.h"
#include "judge_train.h"
#include "nn/draws.h"
#include "nn/task.h"

static double metric(const struct judge_task *t, int rank, const char *name)
{
    return evidence_metric(t->evidence, rank, t->case_no, 0, name);
}

/* Fail unless a rank's metric has this value. */
static void expect(const struct judge_task *t, int rank, const char *name,
                   double want, struct judge_verdict *v)
{
    const double got = metric(t, rank, name);
    if (got != want)
        judge_fail(v, "%s is %.0f on rank %d, should be %.0f", name, got, rank,
                   want);
}

/* ---- part 1 -------------------------------------------------------------- */

static void judge_plan(const struct judge_task *t, struct judge_verdict *v)
{
    const int over = (int)plan_int(t->c, "over", t->nranks);
    const struct split s = split_of(t->c, over);
    static const char *const names[] = {"first", "nlayers", "count", "share",
                                        "begin"};
    expect(t, 0, "nranks", over, v);
    expect(t, 0, "nunits", s.nunits, v);
    for (int i = 0; v->pass && i < s.nunits; i++) {
        const struct split_unit *const u = &s.unit[i];
        const double want[] = {u->first, u->nlayers, (double)u->count,
                               (double)u->share, (double)u->begin};
        for (int j = 0; j < 5; j++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "%s.%d", names[j], i);
            expect(t, 0, name, want[j], v);
        }
    }
    expect(t, 0, "total", (double)s.total, v);
    expect(t, 0, "widest", (double)s.widest, v);
}

/* Layers of odd units have no gradients. */
static void judge_views(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_shape shape = nn_task_of(t->c).shape;
    const struct split s = split_of(t->c, t->nranks);
    for (int i = 0; i < s.nunits; i++) {
        double at = 0;
        for (int l = s.unit[i].first; l < s.unit[i].first + s.unit[i].nlayers;
             l++) {
            char name[EVIDENCE_NAME];
            snprintf(name, sizeof name, "value.%d", l);
            expect(t, 0, name, at, v);
            snprintf(name, sizeof name, "grad.%d", l);
            expect(t, 0, name, i % 2 ? -1 : at, v);
            at += (double)nn_layer_count(&shape, l);
        }
    }
}

/* The weight at a place among all units' floats, of rank 0's network. */
static float weight_at(const struct nn_shape *s, uint64_t seed, long place)
{
    int l = 0;
    for (; place >= (long)nn_layer_count(s, l); l++)
        place -= (long)nn_layer_count(s, l);
    return nn_weight(s, seed, l, (size_t)place);
}

/* Fail unless a float of a rank's shares has this value, to the bit. Returns 0
 * if it doesn't. */
static int same_float(float got, float want, const char *array, int rank,
                      size_t at, long place, struct judge_verdict *v)
{
    if (memcmp(&got, &want, sizeof got) == 0)
        return 1;
    judge_fail(v, "%s[%zu] of rank %d's shares is %.9g, should be %.9g: %s %ld",
               array, at, rank, got, want,
               place < 0 ? "one of the zeros behind a unit; no. "
                         : "parameter number",
               place);
    return 0;
}

static void judge_take(const struct judge_task *t, struct judge_verdict *v)
{
    const struct nn_shape shape = nn_task_of(t->c).shape;
    const struct split s = split_of(t->c, t->nranks);
    for (int i = 0; i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, i, "share", s.total * sizeof *got, v);
            for (size_t at = 0; got && at < s.total; at++) {
                const long own = split_place(&s, r, at);
                const float want =
                    own < 0 ? 0
                            : weight_at(&shape, judge_input_seed(t, 0, i), own);
                if (!same_float(got[at], want, "value", r, at, own, v))
                    break;
            }
        }
}

/* ---- part 5 -------------------------------------------------------------- */

/* The norm of all ranks' gradients, and the factor that clips it. */
static double clip_factor(const struct judge_task *t, const struct split *s,
                          double most, int iteration)
{
    float *const in = malloc(s->total * sizeof *in);
    double squares = 0;
    for (int r = 0; r < t->nranks; r++) {
        data_fill(in, s->total, DATA_FLOAT, judge_input_seed(t, r, iteration));
        for (size_t i = 0; i < s->total; i++)
            squares += (double)in[i] * in[i];
    }
    free(in);
    return squares > most * most ? most / sqrt(squares) : 1;
}

/* An all-reduce of a float takes less than this, for any number of ranks. */
enum { NORM_NBYTES = 2 * sizeof(float) };

/* Expect each rank to send one number, and the host not to wait for it. */
static void judge_norm_sent(const struct judge_task *t, struct judge_verdict *v)
{
    for (int n = 0; n < t->iterations * t->nranks; n++) {
        const int i = n / t->nranks, r = n % t->nranks;
        const char *site;
        const double calls = judge_count(t, r, i, "collectives", v);
        if (!(calls <= 1))
            judge_fail_method(v,
                              "the result is right, but rank %d calls %.0f "
                              "collectives; one is enough",
                              r, calls);
        if (spans_traffic_bytes(t, r, i) > NORM_NBYTES) // NaN without a graph
            judge_fail_method(
                v,
                "the result is right, but rank %d sends %.0f bytes; the "
                "norm takes one number of each rank",
                r, spans_traffic_bytes(t, r, i));
        if (spans_host_waits(t, r, i, &site) > 0)
            judge_fail_method(v, "rank %d's host waits for its device (%s)", r,
                              site);
    }
}

static void judge_clip(const struct judge_task *t, struct judge_verdict *v)
{
    const struct split s = split_of(t->c, t->nranks);
    const double most = strtod(plan_text(t->c, "clip", "0"), NULL);
    float *const in = malloc(s.total * sizeof *in);
    for (int i = 0; i < t->iterations; i++) {
        const double factor = clip_factor(t, &s, most, i);
        for (int r = 0; r < t->nranks; r++) {
            const float *const got =
                judge_output(t, r, i, "grad", s.total * sizeof *got, v);
            data_fill(in, s.total, DATA_FLOAT, judge_input_seed(t, r, i));
            for (size_t at = 0; got && at < s.total; at++)
                if (!(fabs(got[at] - factor * in[at]) <=
                      1e-5 * fabs(factor * in[at]))) {
                    judge_fail(v,
                               "gradient %zu of rank %d's shares is %.9g, "
                               "should be %.9g: %g times what it was",
                               at, r, got[at], factor * in[at], factor);
                    break;
                }
            judge_descent(t, r, i, "grad", 0, s.total * sizeof *in,
                          judge_everybody(t), v);
        }
    }
    free(in);
    judge_norm_sent(t, v);
}

/* ---- part 6 -------------------------------------------------------------- */

/* Expect a rank's file to have its shares, which were its input. */
static void judge_save(const struct judge_task *t, struct judge_verdict *v)
{
    const size_t n = 3 * split_of(t->c, t->nranks).total;
    float *const want = malloc(n * sizeof *want);
    for (int r = 0; r < t->nranks; r++) {
        expect(t, r, "nranks", t->nranks, v);
        expect(t, r, "step", 5, v);
        expect(t, r, "length", (double)n, v);
        expect(t, r, "nwritten", (double)n, v);
    }
    for (int i = 0; v->pass && i < t->iterations; i++)
        for (int r = 0; r < t->nranks; r++) {
            data_fill(want, n, DATA_FLOAT, judge_input_seed(t, r, i));
            const void *const got =
                judge_output(t, r, i, "file", n * sizeof *want, v);
            if (got)
                data_compare(got, want, n, DATA_FLOAT, r, v);
        }
    free(want);
}

static void judge_array(const struct judge_task *t, const struct split *s,
                        int rank, int iteration, int array,
                        struct judge_verdict *v)
{
    static const char *const names[] = {"value", "m", "v"};
    const char *const name = names[array];
    const uint64_t seed = judge_input_seed(t, rank, iteration);
    const float *const got =
        judge_output(t, rank, iteration, name, s->total * sizeof *got, v);
    for (size_t at = 0; got && at < s->total; at++) {
        const long own = split_place(s, rank, at);
        const float want = own < 0 ? 0 : split_saved(seed, array, own);
        if (!same_float(got[at], want, name, rank, at, own, v))
            return;
    }
}

static void judge_load(const struct judge_task *t, struct judge_verdict *v)
{
    const struct split s = split_of(t->c, t->nranks);
    for (int r = 0; r < t->nranks; r++) {
        for (int i = 0; i < t->iterations; i++)
            for (int array = 0; array < 3; array++)
                judge_array(t, &s, r, i, array, v);
        expect(t, r, "step", 7, v);
        if (metric(t, r, "nread") > 3 * (double)s.total)
            judge_fail_method(
                v,
                "the result is right, but rank %d reads %.0f floats; it "
                "owns 3 times %zu",
                r, metric(t, r, "nread"), s.total);
    }
}

/* ---- part 8 -------------------------------------------------------------- */

/* A rank's node has consecutive ranks; its replicas have the same place in
 * their nodes.
 */
static void judge_split(const struct judge_task *t, struct judge_verdict *v)
{
    const int per_node = split_per_node(t->c, t->nranks);
    for (int r = 0; r < t->nranks; r++) {
        char name[EVIDENCE_NAME];
        for (int i = 0; i < per_node; i++) {
            snprintf(name, sizeof name, "node.%d", i);
            expect(t, r, name, r - r % per_node + i, v);
        }
        for (int i = 0; i < t->nranks / per_node; i++) {
            snprintf(name, sizeof name, "replicas.%d", i);
            expect(t, r, name, i * per_node + r % per_node, v);
        }
    }
}

static const struct judge_kind kinds[] = {
    {.name = "plan", .judge = judge_plan},
    {.name = "views", .judge = judge_views},
    {.name = "take", .judge = judge_take},
    {.name = "zero2", .judge = judge_zero2},
    {.name = "zero3", .judge = judge_zero3},
    {.name = "fsdp", .judge = judge_fsdp},
    {.name = "overlap", .judge = judge_overlap, .limit_us = overlap_limit_us},
    {.name = "clip", .judge = judge_clip},
    {.name = "save", .judge = judge_save},
    {.name = "load", .judge = judge_load},
    {.name = "resume", .judge = judge_resume},
    {.name = "mixed", .judge = judge_fsdp},
    {.name = "mixed_overlap",
     .judge = judge_overlap,
     .limit_us = overlap_limit_us},
    {.name = "split", .judge = judge_split},
    {.name = "hybrid", .judge = judge_fsdp},
    {.name = "hybrid_overlap",
     .judge = judge_overlap,
     .limit_us = overlap_limit_us},
    {.name = "tied", .judge = judge_fsdp},
    {.name = NULL},
};

/* Where a student should look when a case fails. */
static const struct judge_student students[] = {
    {"plan", "flat_plan() in flat.c", NULL, NULL},
    {"views", "flat_views() in flat.c", NULL, NULL},
    {"take", "flat_take() in flat.c", NULL, NULL},
    {"zero2",
     "shard_gather(), shard_reduce(), zero2_open() and zero2_step() "
     "in zero2.c",
     NULL, NULL},
    {"zero3", "zero3_open() and zero3_step() in zero3.c", NULL, NULL},
    {"fsdp", "fsdp_step() in overlap.c", NULL, NULL},
    {"overlap", "fsdp_step() in overlap.c", NULL, NULL},
    {"clip", "shard_clip() in clip.c", NULL, NULL},
    {"save", "checkpoint_save() in checkpoint.c", NULL, NULL},
    {"load", "checkpoint_load() in checkpoint.c", NULL, NULL},
    {"resume", "checkpoint_save() and checkpoint_load() in checkpoint.c", NULL,
     NULL},
    {"mixed", "mixed_open() and mixed_gather() in mixed.c", NULL, NULL},
    {"mixed_overlap", "mixed_gather() in mixed.c", NULL, NULL},
    {"split", "hybrid_split() in hybrid.c", NULL, NULL},
    {"hybrid", "hybrid_split() and hybrid_reduce() in hybrid.c", NULL, NULL},
    {"hybrid_overlap", "hybrid_split() and hybrid_reduce() in hybrid.c", NULL,
     NULL},
    {"tied", "tied_open(), tied_keep() and tied_add() in tied.c", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct draw_row draws[] = {[NN_DRAW_FLOATS] = {nn_draw_floats, 0},
                                        [NN_DRAW_BYTES] = {nn_draw_bytes, 0},
                                        {0}};

extern const struct judge_lab judge_lab8;
const struct judge_lab judge_lab8 = {.lab = "lab8-sharded-training",
                                     .kinds = kinds,
                                     .students = students,
                                     .draws = draws};
