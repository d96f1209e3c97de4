/*
 * Small parts that the others rest on: escaped texts, interned bytes, the
 * agenda of events, bills, a growing mapping, the costs of MPI, overlap.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mix.h"
#include "graph/draw/escape.h"
#include "graph/record/format.h"
#include "graph/record/intern.h"
#include "graph/record/mapped.h"
#include "graph/replay/agenda.h"
#include "graph/replay/bill.h"
#include "graph/replay/cost.h"
#include "graph/replay/overlap.h"
#include "machine.h"
#include "scarce.h"
#include "suite.h"

static char *escaped(void (*escape)(FILE *, const char *), const char *text)
{
    char *out;
    size_t n;
    FILE *const f = open_memstream(&out, &n);
    escape(f, text);
    fclose(f);
    return out;
}

START_TEST(what_is_not_printable_is_a_question_mark)
{
    static const struct {
        void (*escape)(FILE *, const char *);
        const char *text, *is;
    } row[] = {
        {escape_json, "a\"b\\c<d>e&f", "a\\\"b\\\\c\\u003cd>e&f"},
        {escape_json, "\x1f \x7e\x7f\x80\xff\t", "? ~????"},
        {escape_xml, "a\"b\\c<d>e&f'", "a&quot;b\\c&lt;d&gt;e&amp;f'"},
        {escape_xml, "\x1f \x7e\x7f\x80\xff\n", "? ~????"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char *const text = escaped(row[i].escape, row[i].text);
        ck_assert_str_eq(text, row[i].is);
        free(text);
    }
}
END_TEST

START_TEST(equal_bytes_have_one_number)
{
    enum { MANY = 2000 };
    struct intern t = {0};
    int is_new;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < MANY; i++) {
            const uint32_t data[3] = {i, i / 2, 7};
            // 4 to 12 bytes: 4 are the beginning of the longer ones
            ck_assert_uint_eq(intern_id(&t, data, 4 + 4 * (i % 3), &is_new),
                              i + 1);
            ck_assert_int_eq(is_new, round == 0);
        }
    ck_assert_uint_eq(t.count, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        ck_assert_uint_eq(t.value[i].nbytes, 4 + 4 * (i % 3));
        ck_assert_mem_eq(t.value[i].data, &i, sizeof i);
    }
    ck_assert_uint_eq(intern_id(&t, "\0\0\0\0\0", 5, &is_new), MANY + 1);
    ck_assert_uint_eq(intern_id(&t, "", 0, &is_new), MANY + 2);
    ck_assert_int_eq(is_new, 1);
    ck_assert_uint_le(2 * t.count, t.nslots);
    intern_release(&t);
    ck_assert_uint_eq(t.count, 0);
}
END_TEST

/* ---- the agenda ---------------------------------------------------------- */

enum { EVENTS = 300 };
static struct graph_view views[EVENTS];
static struct graph events = {.nnodes = EVENTS, .nodes = views};

/* Ranks of 50 operations, in queues 0 to 2. */
static void number_events(void)
{
    for (uint32_t i = 0; i < EVENTS; i++) {
        views[i].node.rank = i / 50;
        views[i].node.queue = i * 7 % 3;
    }
}

/* True if a comes before b at the same time. */
static int comes_first(uint32_t a, uint32_t b)
{
    const struct graph_node *const x = &views[a].node, *const y =
                                                           &views[b].node;
    if (x->rank != y->rank)
        return x->rank < y->rank;
    return x->queue != y->queue ? x->queue < y->queue : a < b;
}

static int is_first(const uint64_t ps[EVENTS], uint32_t node)
{
    for (uint32_t k = 0; k < EVENTS; k++)
        if (k != node && ps[k] && ps[k] <= ps[node] &&
            (ps[k] < ps[node] || comes_first(k, node)))
            return 0;
    return 1;
}

/* Set, move and take events at random; each is the first of those left. */
START_TEST(the_first_event_is_taken_first)
{
    struct agenda a;
    uint64_t ps[EVENTS] = {0}; // 0: not in it
    uint32_t count = 0;
    number_events();
    ck_assert_int_eq(agenda_init(&a, &events), 0);
    srand(7);
    for (int i = 0; i < 6000; i++) {
        const uint32_t node = (uint32_t)rand() % EVENTS;
        if (count && rand() % 3 == 0) {
            const struct agenda_event e = agenda_pop(&a);
            ck_assert_uint_eq(e.ps, ps[e.node]);
            ck_assert(is_first(ps, e.node));
            ps[e.node] = 0;
            count--;
        } else {
            count += ps[node] == 0;
            ps[node] = 1 + (uint64_t)rand() % 40;
            ck_assert_int_eq(agenda_set(&a, node, ps[node]), 0);
        }
        ck_assert_uint_eq(a.count, count);
    }
    agenda_release(&a);
}
END_TEST

START_TEST(a_bill_has_each_resource_once)
{
    struct bill b = {0};
    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < 60; i++)
            ck_assert_int_eq(bill_charge(&b, i % 20, i), 0);
        ck_assert_int_eq(b.n, 20);
        for (int i = 0; i < 20; i++) {
            ck_assert_int_eq(b.use[i].resource, i);
            ck_assert_double_eq(b.use[i].weight, 3 * i + 60);
        }
        bill_clear(&b);
        ck_assert_int_eq(b.n, 0);
    }
    bill_release(&b);
}
END_TEST

/* All of it without a byte too many; see scarce.h. */
static int keep_agenda(void)
{
    struct agenda a;
    number_events();
    int err = agenda_init(&a, &events);
    for (uint32_t i = 0; i < EVENTS && !err; i++)
        err = agenda_set(&a, i, 1);
    while (!err && a.count)
        agenda_pop(&a);
    agenda_release(&a);
    return err;
}

static int keep_bill(void)
{
    struct bill b = {0};
    int err = 0;
    for (int i = 0; i < 40 && !err; i++)
        err = bill_charge(&b, i, 1);
    bill_release(&b);
    return err;
}

static int keep_bytes(void)
{
    struct intern t = {0};
    int is_new, err = 0;
    for (uint32_t i = 0; i < 200 && !err; i++)
        err = intern_id(&t, &i, sizeof i, &is_new) ? 0 : -1;
    intern_release(&t);
    return err;
}

START_TEST(small_parts_report_that_memory_runs_out)
{
    scarce_each(keep_agenda, 100);
    scarce_each(keep_bill, 100);
    scarce_each(keep_bytes, 300);
}
END_TEST

/* ---- mappings ------------------------------------------------------------ */

START_TEST(a_mapping_grows_and_keeps_what_was_seen)
{
    struct mapped m;
    const int fd = memfd_create("mapped", 0);
    ck_assert_int_eq(ftruncate(fd, FORMAT_CAPACITY), 0);
    ck_assert_int_eq(mapped_init(&m, fd, PROT_READ | PROT_WRITE), 0);
    char *const first = m.bytes;
    const uint64_t nbytes = m.nbytes;
    strcpy(first, "here");
    ck_assert_int_eq(mapped_reach(&m, nbytes), 0); // it is long enough
    ck_assert_ptr_eq(m.bytes, first);
    ck_assert_int_eq(mapped_reach(&m, nbytes + 1), 0);
    ck_assert_uint_eq(m.nbytes, 2 * nbytes);
    ck_assert_int_eq(mapped_reach(&m, 5 * nbytes), 0);
    ck_assert_uint_eq(m.nbytes, 8 * nbytes);
    ck_assert_int_eq(m.n, 4);
    ck_assert_str_eq(m.bytes, "here");
    ck_assert_str_eq(first, "here"); // it stays mapped
    m.bytes[8 * nbytes - 1] = 1;
    char *const last = m.bytes + 8 * nbytes - getpagesize();
    unsigned char in[1];
    ck_assert_int_eq(mincore(last, 1, in), 0);
    mapped_release(&m);
    ck_assert_uint_eq(m.nbytes, 0);
    ck_assert_int_eq(mincore(first, 1, in), -1); // unmapped, to the last page
    ck_assert_int_eq(mincore(last, 1, in), -1);
    ck_assert_int_eq(mapped_init(&m, -1, PROT_READ), -1);
    close(fd);
}
END_TEST

/* ---- MPI ----------------------------------------------------------------- */

static void expect_mpi(const struct cost_table *t, const struct graph_node *at,
                       int32_t with, uint64_t ps)
{
    const struct graph_node other = {.place = with};
    const uint64_t is = cost_mpi_ps(t, at, &other);
    ck_assert_msg(is == ps, "%d of %u, from %d to %d: %llu ps, not %llu",
                  at->op, at->match_size, at->place, with,
                  (unsigned long long)is, (unsigned long long)ps);
}

static struct graph_node mpi(enum topo_op op, uint32_t nranks, int32_t place,
                             uint64_t nbytes)
{
    return (struct graph_node){.op = (uint8_t)op,
                               .match_size = nranks,
                               .place = place,
                               .bytes = nbytes};
}

START_TEST(an_mpi_call_costs_its_steps_and_bytes)
{
    struct topo *const topo = machine_load("2x-dgx-h100");
    struct cost_table *const t = cost_table_new(topo, NULL);
    const struct topo_costs *const c = topo_costs(topo);
    const uint64_t step = c->mpi_ps, far = c->mpi_net_ps;
    const uint64_t bytes = (uint64_t)(4096 / c->mpi_rate * 1e12 + 0.5);
    ck_assert_uint_ne(step, far);
#define MPI(op, n, from, to, nbytes, ps)                                       \
    do {                                                                       \
        const struct graph_node at_ = mpi(TOPO_OP_##op, n, from, nbytes);      \
        expect_mpi(t, &at_, to, ps);                                           \
    } while (0)
    MPI(BARRIER, 1, -1, -1, 4096, 0);
    MPI(BARRIER, 2, -1, -1, 4096, step);
    MPI(BARRIER, 8, -1, -1, 4096, 3 * step);
    MPI(BARRIER, 9, -1, -1, 4096, 4 * step);
    MPI(BARRIER, 9, -1, -2, 4096, 4 * far);
    MPI(BARRIER, 2, 7, 8, 0, far);
    MPI(BARRIER, 2, 0, 7, 0, step);
    MPI(BARRIER, 2, 8, -2, 0, step);
    MPI(BARRIER, 2, 8, -1, 0, far);
    MPI(BARRIER, 2, 900, 0, 0, step); // nowhere is in node 0
    MPI(ALLREDUCE, 8, -1, -1, 4096, 3 * (step + bytes));
    MPI(BROADCAST, 8, -1, -1, 4096, 3 * (step + bytes));
    MPI(REDUCE, 5, -1, -1, 4096, 3 * (step + bytes));
    MPI(SENDRECV, 2, -1, -1, 4096, step + bytes);
    MPI(SENDRECV, 2, -1, -1, 0, step);
    MPI(ALLGATHER, 8, -1, -1, 4096, 3 * step + bytes);
    MPI(SENDRECV, 2, -1, -1, UINT64_MAX, step + UINT64_C(1000000000000000000));
    cost_table_free(t);
    topo_free(topo);
}
END_TEST

/* ---- overlap ------------------------------------------------------------- */

enum { OPS = 60, PLACES = 3, MOMENTS = 80 };

static struct {
    struct graph_view node[OPS];
    struct replay_time time[OPS];
    char busy[PLACES][MOMENTS]; /* from a moment to the next */
} kernels;

/* Kernels that overlap, meet, are empty; and copies, which hide nothing. */
static void draw_kernels(uint64_t seed)
{
    memset(&kernels, 0, sizeof kernels);
    for (uint64_t i = 0; i < OPS; i++) {
        const uint64_t lot = mix_nth(seed, i);
        const int place = (int)(lot % PLACES);
        const uint64_t begin = lot / 8 % (MOMENTS - 8);
        const uint64_t end = begin + lot / 1024 % (1 + lot / 8192 % 8);
        const int is_kernel = lot / 65536 % 4 != 0;
        kernels.node[i].node.kind = is_kernel ? GRAPH_KERNEL : GRAPH_COPY;
        kernels.node[i].node.place = place;
        kernels.time[i].start_ps = begin;
        kernels.time[i].end_ps = end;
        for (uint64_t t = begin; is_kernel && t < end; t++)
            kernels.busy[place][t] = 1;
    }
}

/* An assertion of Check writes to a file: there are too many. */
static int is_right(const struct overlap *o, int place, uint64_t from,
                    uint64_t end)
{
    const char *const busy = kernels.busy[place];
    uint64_t hidden = 0, change = from, until = 0;
    for (uint64_t t = from; t < end; t++)
        hidden += busy[t] != 0;
    while (change < end && busy[change] == busy[from])
        change++;
    const int now = overlap_at(o, place, from, end, &until);
    return overlap_hidden_ps(o, place, from, end) == hidden &&
           now == busy[from] && until == change;
}

START_TEST(what_kernels_hide_is_what_they_cover)
{
    int wrong = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        draw_kernels(seed);
        const struct graph g = {.nnodes = OPS, .nodes = kernels.node};
        struct overlap *const o = overlap_new(&g, kernels.time);
        for (int place = 0; place < PLACES; place++)
            for (uint64_t from = 0; from < MOMENTS; from++)
                for (uint64_t end = from + 1; end < MOMENTS; end++)
                    wrong += !is_right(o, place, from, end);
        ck_assert_uint_eq(overlap_hidden_ps(o, 0, 9, 9), 0);
        ck_assert_uint_eq(overlap_hidden_ps(o, PLACES, 0, MOMENTS), 0);
        ck_assert_uint_eq(overlap_hidden_ps(o, -1, 0, MOMENTS), 0);
        overlap_free(o);
    }
    ck_assert_int_eq(wrong, 0);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("small");
    TCase *const t = tcase_create("small");
    tcase_add_test(t, what_is_not_printable_is_a_question_mark);
    tcase_add_test(t, equal_bytes_have_one_number);
    tcase_add_test(t, the_first_event_is_taken_first);
    tcase_add_test(t, a_bill_has_each_resource_once);
    tcase_add_test(t, small_parts_report_that_memory_runs_out);
    tcase_add_test(t, a_mapping_grows_and_keeps_what_was_seen);
    tcase_add_test(t, an_mpi_call_costs_its_steps_and_bytes);
    tcase_add_test(t, what_kernels_hide_is_what_they_cover);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
