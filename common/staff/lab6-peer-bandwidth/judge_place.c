/*
 * judge_place.c: part 7: which memory the kernels and copies of a run really
 * read, and how long they took
 */
#include <math.h>   /* isnan */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* malloc */

#include "drawn.h"
#include "judge/data.h"
#include "judge6.h"

struct read { /* a kernel or a copy that reads the whole buffer */
    enum graph_kind kind;
    int32_t from;
    double begin_us, end_us;
};

enum { MOST_READS = 256 };

/* Find the operations of an iteration that read nbytes for a GPU. */
static int find_reads(const struct judge_task *t, int iteration, int gpu,
                      uint64_t nbytes, struct read out[MOST_READS])
{
    struct spans_window w;
    int n = 0;
    if (spans_window(t, 0, iteration, &w) != 0)
        return 0;
    const struct replay_time *const time = spans_times(t->spans);
    for (uint32_t i = w.first; i <= w.last; i++) {
        const struct graph_view *const g = &t->graph->nodes[i];
        for (size_t k = 0; k < g->nmoves && n < MOST_READS; k++)
            if ((g->node.kind == GRAPH_KERNEL || g->node.kind == GRAPH_COPY) &&
                g->moves[k].to == gpu && g->moves[k].nbytes >= nbytes)
                out[n++] = (struct read){g->node.kind, g->moves[k].from,
                                         (double)time[i].start_ps * 1e-6,
                                         (double)time[i].end_ps * 1e-6};
    }
    return n;
}

static const char *name_place(int32_t place, char out[64])
{
    if (place >= 0)
        snprintf(out, 64, "GPU %d's memory", (int)place);
    else if (TOPO_HOST_CPU(place) < 0)
        snprintf(out, 64, "host memory of no certain NUMA node");
    else
        snprintf(out, 64, "the memory of the machine's CPU %d",
                 TOPO_HOST_CPU(place));
    return out;
}

/* True if a place is this memory of a GPU whose near one is at `near`. */
static int is_memory(enum memory m, int32_t place, int gpu, int32_t near)
{
    switch (m) {
    case MEMORY_OWN: return place == gpu;
    case MEMORY_PEER: return place >= 0 && place != gpu;
    case MEMORY_NEAR: return place == near;
    default: return place < 0 && TOPO_HOST_CPU(place) >= 0 && place != near;
    }
}

struct reading { /* what is judged */
    const struct judge_task *t;
    int iteration, gpu, nreads;
    int32_t near;
    struct read read[MOST_READS];
    int n, next;
};

/* Expect the next operation to be of this kind and to read memory m. Returns
 * it, or NULL after the verdict has failed. */
static const struct read *expect_read(struct reading *g, enum graph_kind kind,
                                      enum memory m, const char *what,
                                      struct judge_verdict *v)
{
    char place[64];
    const struct read *const x = &g->read[g->next++];
    const char *const noun = kind == GRAPH_COPY ? "copy" : "kernel";
    if (g->next > g->n || x->kind != kind) {
        judge_fail_method(v, "%s: a %s that reads the buffer is missing", what,
                          noun);
        return NULL;
    }
    if (is_memory(m, x->from, g->gpu, g->near))
        return x;
    judge_fail_method(v, "%s: a %s of GPU %d reads %s, should be \"%s\"", what,
                      noun, g->gpu, name_place(x->from, place), memory_name(m));
    return NULL;
}

/* Judge the reads of memory m: in place, or after a copy. */
static void judge_memory(struct reading *g, enum memory m, int by_copy,
                         struct judge_verdict *v)
{
    char what[48];
    snprintf(what, sizeof what, "%s, %s", memory_name(m),
             by_copy ? "copied first" : "in place");
    const struct read *first = NULL, *last = NULL;
    if (by_copy && !(first = last = expect_read(g, GRAPH_COPY, m, what, v)))
        return;
    for (int i = 0; i < g->nreads; i++) {
        last = expect_read(g, GRAPH_KERNEL, by_copy ? MEMORY_OWN : m, what, v);
        if (!last)
            return;
        first = first ? first : last;
    }
    lab6_expect_us(
        1000 * lab6_shown(g->t, g->iteration, "ms.%d.%d", (int)m, by_copy),
        last->end_us - first->begin_us, what, v);
}

/* All sums have to be that of nreads reads of the input. */
static void judge_sums(const struct judge_task *t, int iteration, int gpu,
                       size_t nbytes, int nreads, struct judge_verdict *v)
{
    unsigned *const input = malloc(nbytes);
    unsigned sum = 0;
    if (!input)
        return judge_fail(v, "the judge is out of memory");
    data_fill(input, nbytes / sizeof(float), DATA_FLOAT,
              judge_seed(judge_input_seed(t, 0, iteration), (uint64_t)gpu));
    for (size_t i = 0; i < nbytes / sizeof *input; i++)
        sum += input[i];
    free(input);
    const unsigned *const got =
        judge_output(t, 0, iteration, "sums", sizeof(unsigned[MEMORIES][2]), v);
    for (int k = 0; got && k < 2 * MEMORIES; k++)
        if (got[k] != sum * (unsigned)nreads)
            judge_fail(v, "%s, %s: the sum of %d reads is 0x%x, should be 0x%x",
                       memory_name(k / 2), k % 2 ? "copied first" : "in place",
                       nreads, got[k], sum * (unsigned)nreads);
}

void lab6_judge_placement(const struct judge_task *t, struct judge_verdict *v)
{
    const int gpu = (int)plan_int(t->c, "gpu", 0);
    const int nreads = (int)plan_int(t->c, "reads", 2);
    const size_t nbytes = (size_t)plan_int(t->c, "bytes", 8000000);
    struct reading g = {.t = t, .gpu = gpu, .nreads = nreads};
    if (!lab6_known(t, v))
        return;
    const struct topo *const machine = spans_topo(t->spans);
    topo_numa_place(machine, gpu, topo_gpu(machine, gpu)->numa, &g.near);
    for (int i = 0; i < t->iterations && v->pass; i++) {
        judge_sums(t, i, gpu, nbytes, nreads, v);
        g.iteration = i;
        g.next = 0;
        g.n = find_reads(t, i, gpu, nbytes, g.read);
        for (int m = 0; m < MEMORIES && v->pass; m++)
            for (int by_copy = 0; by_copy < 2 && v->pass; by_copy++)
                judge_memory(&g, (enum memory)m, by_copy, v);
    }
}

void lab6_judge_pays(const struct judge_task *t, struct judge_verdict *v)
{
    for (int i = 0; i < t->iterations; i++)
        for (int k = 0; k < DRAWN_COSTS; k++) {
            const struct drawn_cost c =
                drawn_cost(judge_input_seed(t, 0, i), (unsigned)k);
            const double n = lab6_shown(t, i, "reads.%d", k);
            if (n != c.pays)
                judge_fail(v,
                           "a read in place of %.2f ms, a copy of %.2f ms and "
                           "a read of the copy of %.2f ms: reads_that_pay() "
                           "returns %.0f, should be %d",
                           c.place_ms, c.copy_ms, c.own_ms, n, c.pays);
        }
}
