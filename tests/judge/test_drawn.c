/*
 * Formulas, buffers of all types and the origins of bytes, drawn by lot: all
 * that the judge makes of them, compared by digests (drawn/), which are of when
 * the cases of formula, data and origin were right.
 */
#define _GNU_SOURCE
#include <check.h>
#include <inttypes.h> /* PRIx64 */
#include <stdio.h>    /* open_memstream */
#include <stdlib.h>   /* free */
#include <string.h>   /* memcpy */

#include "grammar.h"
#include "judge/data.h"
#include "judge/formula.h"
#include "judge/origin/origin.h"
#include "lots.h"
#include "suite.h"
#include "synthetic.h"

#define DIGESTS "tests/judge/drawn/digests.txt"

const struct judge_lab *const judge_labs[] = {NULL};

static struct lots lots;

static void begin_draw(int number)
{
    lots = (struct lots){.seed = (uint64_t)number};
}

static uint64_t draw(uint64_t n)
{
    return lots_draw(&lots, n);
}

static FILE *begin(char **all, size_t *nbytes)
{
    FILE *const out = open_memstream(all, nbytes);
    ck_assert_ptr_nonnull(out);
    return out;
}

/* ---- formulas ------------------------------------------------------------ */

static struct grammar *grammar;

static int names(void *arg, const char *name, double *value)
{
    (void)arg;
    *value = (double)strlen(name);
    return strcmp(name, "none") == 0 ? -1 : 0;
}

static char *evaluated(int number)
{
    const uint64_t seed = (uint64_t)number;
    char *const text = number % 4 == 3 ? grammar_damaged(grammar, "file", seed)
                                       : grammar_text(grammar, "file", seed);
    char *all, err[200] = "";
    size_t nbytes;
    double value = -1;
    FILE *const out = begin(&all, &nbytes);
    const int rc = formula_value(text, names, NULL, &value, err, sizeof err);
    if (rc != 0)
        fprintf(out, "%s\n%d %s\n", text, rc, err);
    else
        fprintf(out, "%s\n%.9g\n", text, value);
    fclose(out);
    free(text);
    return all;
}

START_TEST(formulas_have_the_same_values)
{
    grammar = grammar_read("tests/judge/drawn/formula.grammar");
    grammar_expect(DIGESTS, "formula", 800, evaluated);
    grammar_free(grammar);
}
END_TEST

/* ---- buffers ------------------------------------------------------------- */

enum { COUNT = 70, WIDEST = 8 };

static void print_bytes(FILE *out, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", p[i]);
    fputc('\n', out);
}

static void print_compared(FILE *out, const void *got, const void *want,
                           size_t n, enum data_type type)
{
    static const double near[][2] = {{0, 0}, {0.5, 0}, {0, 1}, {0.01, 0.125}};
    fprintf(out, "%zu differ\n", data_differ(got, want, n, type));
    for (int i = -1; i < 4; i++) {
        struct judge_verdict v = {.pass = 1, .score = 1};
        if (i < 0)
            data_compare(got, want, n, type, 3, &v);
        else
            data_compare_near(got, want, n, type, near[i][0], near[i][1], 2,
                              &v);
        fprintf(out, "%d %g %s\n", v.pass, v.score, v.message);
    }
}

/* A few elements of another value, or of any bits: NaN, infinity, zeros. */
static void disturb(unsigned char *p, enum data_type type, size_t n)
{
    const size_t size = data_size(type);
    for (uint64_t i = draw(4); i > 0; i--) {
        const size_t at = draw(n);
        if (draw(2))
            data_set(p, at, type, (double)draw(2000) / 8 - 100);
        else
            for (size_t k = 0; k < size; k++)
                p[at * size + k] =
                    (unsigned char)(draw(3) ? draw(256) : 255 * draw(2));
    }
}

static char *compared(int number)
{
    unsigned char a[COUNT * WIDEST], b[COUNT * WIDEST], c[COUNT * WIDEST];
    char *all;
    size_t nbytes;
    FILE *const out = begin(&all, &nbytes);
    begin_draw(number);
    const enum data_type type = (enum data_type)(number % DATA_TYPES);
    const enum data_op op = (enum data_op)draw(DATA_OPS);
    const size_t n = 1 + draw(COUNT), size = data_size(type);
    fprintf(out, "%s %s\n", data_type_name(type), data_op_name(op));
    data_fill(a, n, type, draw(1000));
    data_fill_sum(b, n, type, 1 + (int)draw(40), draw(1000));
    print_bytes(out, a, n * size);
    print_bytes(out, b, n * size);
    memcpy(c, a, sizeof c);
    print_compared(out, a, c, n, type);
    disturb(c, type, n);
    disturb(b, type, n);
    print_compared(out, a, c, n, type);
    print_compared(out, c, a, n, type);
    data_combine(c, b, n, type, op);
    print_bytes(out, c, n * size);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%.17g ", data_get(c, i, type));
    fclose(out);
    return all;
}

START_TEST(buffers_compare_the_same)
{
    grammar_expect(DIGESTS, "data", 600, compared);
}
END_TEST

/* ---- origins ------------------------------------------------------------- */

enum { RANKS = 3, STEPS = 30 };

static struct synthetic s;

/* Part of one of a rank's memories; 0 is the host's. */
static struct graph_access part(uint32_t rank, uint32_t write, int host)
{
    const uint64_t begin = 10 * draw(10), n = 10 + 10 * draw(10);
    const uint64_t number = host ? 0 : 1 + draw(3);
    return (struct graph_access){.alloc = (uint64_t)rank << 32 | number,
                                 .begin = begin + (host ? 4096 : 0),
                                 .end = begin + n + (host ? 4096 : 0),
                                 .write = write};
}

/* A copy to, from or in a rank's memory. */
static void copy(uint32_t rank)
{
    const uint64_t kind = draw(4);
    struct graph_access from = part(rank, GRAPH_READ, kind == 0),
                        to = part(rank, GRAPH_WRITE, kind == 1);
    if (draw(5)) // of as many bytes
        to.end = to.begin + (from.end - from.begin);
    SYNTHETIC(&s, rank,
              .node = {.kind = GRAPH_COPY,
                       .queue = 1,
                       .place = (int)rank,
                       .latency_ps = 1000},
              .moves = {{(int)rank, (int)rank,
                         draw(6) ? 2 * (to.end - to.begin) : draw(3)}},
              .accesses = {from, to});
}

static void kernel(uint32_t rank, enum graph_kind kind)
{
    const uint32_t other = draw(3) ? rank : (uint32_t)draw(RANKS);
    SYNTHETIC(&s, rank,
              .node = {.kind = (uint8_t)kind,
                       .queue = draw(9) ? 1 : 0,
                       .place = (int)rank,
                       .latency_ps = 500 + draw(2000)},
              .accesses = {part(other, GRAPH_READ, 0),
                           part(draw(4) ? rank : other, GRAPH_WRITE, 0)});
}

static void message(uint64_t key)
{
    const uint32_t from = (uint32_t)draw(RANKS), to = (from + 1) % RANKS;
    struct graph_node n = {.kind = GRAPH_SEND,
                           .queue = 1,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match = key,
                           .match_size = 2,
                           .place = (int)from,
                           .peer_place = (int)to,
                           .bytes = draw(6) ? 100 : 1};
    SYNTHETIC(&s, from, .node = n, .accesses = {part(from, GRAPH_READ, 0)});
    n.kind = GRAPH_RECV;
    n.place = (int)to;
    n.peer_place = (int)from;
    n.match_rank = 1;
    SYNTHETIC(&s, to, .node = n, .accesses = {part(to, GRAPH_WRITE, 0)});
}

static void all_reduce(uint64_t key)
{
    const uint64_t bytes = draw(6) ? 100 : 0;
    for (uint32_t r = 0; r < RANKS; r++)
        SYNTHETIC(
            &s, r,
            .node = {.kind = GRAPH_COLL,
                     .op = TOPO_OP_ALLREDUCE,
                     .queue = 1,
                     .place = (int)r,
                     .match_kind = GRAPH_MATCH_ALL,
                     .match = key,
                     .match_size = RANKS,
                     .match_rank = r,
                     .bytes = bytes},
            .accesses = {part(r, GRAPH_READ, 0), part(r, GRAPH_WRITE, 0)});
}

static void record(void)
{
    synthetic_init(&s, RANKS);
    for (uint64_t step = 0; step < STEPS; step++) {
        const uint32_t rank = (uint32_t)draw(RANKS);
        switch (draw(6)) {
        case 0: kernel(rank, GRAPH_KERNEL); break;
        case 1: message(7 + step); break;
        case 2: all_reduce(7 + step); break;
        default: copy(rank);
        }
    }
}

/* A bit for each rank, and the highest for the host. */
static uint64_t bits_of(const struct origin_set *from)
{
    return from ? from->ranks.word[0] | (uint64_t)from->host << 63 : 0;
}

static void print_origins(FILE *out, const struct graph *g,
                          const struct origins *o)
{
    for (uint32_t at = 0; at < g->nnodes; at++) {
        size_t n;
        const struct origin *const from = origins_of(o, at, &n);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%u: %" PRIu64 " to %" PRIu64 " %" PRIx64 "\n", at,
                    from[i].begin, from[i].end, bits_of(from[i].from));
    }
    for (uint32_t section = 0; section < 4; section++)
        for (int rank = 0; rank < RANKS; rank++)
            fprintf(out, "%" PRIx64 " ",
                    origins_reached(o, section, rank).word[0]);
    fputc('\n', out);
}

static char *followed(int number)
{
    static struct topo *topo; // loaded once: it stays as it is
    char *all, err[256] = "";
    size_t nbytes;
    FILE *const out = begin(&all, &nbytes);
    begin_draw(number);
    record();
    topo = topo ? topo : topo_load("dgx-h100", err, sizeof err);
    struct graph *const g = synthetic_load(&s);
    struct replay *const r = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_msg(r != NULL, "%s", err);
    uint32_t judged[RANKS * (STEPS + 2)] = {0};
    ck_assert_uint_le(g->nnodes, sizeof judged / sizeof *judged);
    for (uint32_t at = 0; at < g->nnodes; at++)
        judged[at] = draw(2) ? 0 : (uint32_t)draw(3);
    for (int peers = 0; peers < 2; peers++) {
        struct origins *const o =
            origins_new(g, replay_times(r), judged, peers, 0);
        ck_assert_ptr_nonnull(o);
        print_origins(out, g, o);
        origins_free(o);
    }
    replay_free(r);
    graph_free(g);
    synthetic_release(&s);
    fclose(out);
    return all;
}

START_TEST(bytes_come_from_the_same_ranks)
{
    grammar_expect(DIGESTS, "origins", 500, followed);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("judge: drawn");
    TCase *const t = tcase_create("drawn");
    tcase_add_test(t, formulas_have_the_same_values);
    tcase_add_test(t, buffers_compare_the_same);
    tcase_add_test(t, bytes_come_from_the_same_ranks);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
