/*
 * Happens-before and hazards on graphs made by hand: each rule of the record,
 * with an edge and without.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "graph/hazard/hazard.h"
#include "suite.h"
#include "synthetic.h"

enum { A = 1 }; /* an allocation of rank 0 */

static struct synthetic s;

static void start(uint32_t nranks)
{
    synthetic_init(&s, nranks);
    graph_note_alloc(s.rank[0], A, 0, 1000, 0);
}

/* What is said of the hazards is as it was in this part of a test. */
static void expect_words(const struct hazards *found, const char *part)
{
    static int nth;
    char name[128], text[4096], *words;
    size_t nwords;
    FILE *const f = open_memstream(&words, &nwords);
    for (size_t i = 0; i < found->n && i < 3; i++) {
        const struct hazard *const h = &found->hazard[i];
        fprintf(f, "%s", hazard_text(h, text, sizeof text));
        fprintf(f, "%s\nwarning %d, ranks %llx\n",
                hazard_line(h, text, sizeof text), h->warning,
                (unsigned long long)h->ranks.word[0]);
    }
    fclose(f);
    snprintf(name, sizeof name, "%s %d", part, ++nth);
    if (found->n)
        golden_expect_part("tests/hazards/golden.txt#order", name, words);
    free(words);
}

/* The result of hazards_find; ends the recording. */
static struct hazards finish_part(const char *part)
{
    char err[256] = "";
    struct hazards found;
    struct graph *const g = synthetic_load(&s);
    ck_assert_msg(hazards_find(g, NULL, &found, err, sizeof err) == 0, "%s",
                  err);
    graph_free(g);
    synthetic_release(&s);
    expect_words(&found, part);
    return found;
}

static void expect(size_t nerrors, const char *what)
{
    struct hazards found = finish_part(what);
    char text[4096];
    ck_assert_msg(found.nerrors == nerrors, "%s: %zu hazards, not %zu: %s",
                  what, found.nerrors, nerrors,
                  found.n ? hazard_text(&found.hazard[0], text, sizeof text)
                          : "");
    hazards_release(&found);
}

/* An operation of a queue (0: of the host) that touches bytes of A. */
static struct graph_ref op(uint32_t rank, uint32_t queue, enum graph_touch how,
                           uint64_t begin, uint64_t end)
{
    return SYNTHETIC(
        &s, rank, .name = "op",
        .node = {.kind = queue ? GRAPH_MEMSET : GRAPH_HOST, .queue = queue},
        .accesses = {{A, begin, end, how, 0}});
}

/* One that follows another. */
static struct graph_ref after(uint32_t rank, uint32_t queue,
                              struct graph_ref dep)
{
    return SYNTHETIC(
        &s, rank, .name = "wait",
        .node = {.kind = queue ? GRAPH_MARK : GRAPH_HOST, .queue = queue},
        .deps = {dep});
}

static struct graph_ref part(uint32_t rank, uint32_t queue,
                             enum graph_match match, uint32_t nranks,
                             uint64_t key, uint32_t root)
{
    return SYNTHETIC(&s, rank, .name = "meeting",
                     .node = {.kind = queue ? GRAPH_COLL : GRAPH_MPI,
                              .queue = queue,
                              .match_kind = match,
                              .match = key,
                              .match_size = nranks,
                              .match_rank = rank,
                              .match_root = root});
}

START_TEST(a_run_without_operations_has_no_hazards)
{
    start(2);
    expect(0, "nothing was called");
}
END_TEST

START_TEST(a_queue_is_in_order)
{
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 100);
    op(0, 1, GRAPH_WRITE, 0, 100);
    op(0, 1, GRAPH_READ, 50, 60);
    expect(0, "one queue");
}
END_TEST

START_TEST(two_queues_are_not)
{
    static const struct {
        enum graph_touch a, b;
        uint64_t begin;
        size_t nerrors;
    } cases[] = {
        {GRAPH_WRITE, GRAPH_WRITE, 99, 1},  {GRAPH_WRITE, GRAPH_READ, 0, 1},
        {GRAPH_READ, GRAPH_WRITE, 50, 1},   {GRAPH_READ, GRAPH_READ, 0, 0},
        {GRAPH_ATOMIC, GRAPH_ATOMIC, 0, 0}, {GRAPH_ATOMIC, GRAPH_READ, 0, 1},
        {GRAPH_WRITE, GRAPH_ATOMIC, 0, 1},  {GRAPH_WRITE, GRAPH_WRITE, 100, 0},
        {GRAPH_READ, GRAPH_FREE, 0, 1},     {GRAPH_ALLOC, GRAPH_READ, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(1);
        op(0, 1, cases[i].a, 0, 100);
        op(0, 2, cases[i].b, cases[i].begin, cases[i].begin + 10);
        expect(cases[i].nerrors, "two queues");
    }
}
END_TEST

START_TEST(a_dep_orders_and_passes_on)
{
    start(1);
    const struct graph_ref a = op(0, 1, GRAPH_WRITE, 0, 100);
    after(0, 2, a);
    const struct graph_ref b = after(0, 2, a);
    after(0, 3, b);
    op(0, 3, GRAPH_WRITE, 0, 100);
    expect(0, "queue 1 before 2 before 3");
}
END_TEST

START_TEST(enqueueing_tells_the_host_nothing)
{
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 100);
    op(0, 0, GRAPH_READ, 0, 100);
    expect(1, "the host reads too early");
    start(1);
    after(0, 0, op(0, 1, GRAPH_WRITE, 0, 100));
    op(0, 0, GRAPH_READ, 0, 100);
    op(0, 2, GRAPH_WRITE, 0, 100);
    expect(0, "the host has waited");
}
END_TEST

START_TEST(a_group_is_a_unit_without_order_inside)
{
    for (int same = 0; same < 2; same++) {
        start(1);
        graph_note_alloc(s.rank[0], A, 0, 1000, 0);
        op(0, 2, GRAPH_WRITE, 200, 300);
        for (uint32_t i = 0; i < 2; i++)
            SYNTHETIC(&s, 0, .name = "call",
                      .node = {.kind = GRAPH_SEND, .queue = 1 + i, .group = 7},
                      .accesses = {{A, same ? 0 : 100 * i, 100 + 100 * i,
                                    GRAPH_WRITE, 0}});
        // Each of its queues continues after all of it.
        op(0, 1, GRAPH_WRITE, 0, 300);
        op(0, 2, GRAPH_READ, 400, 500);
        struct hazards found = finish_part(__func__);
        ck_assert_uint_eq(found.nerrors, (size_t)same);
        if (same)
            ck_assert_int_eq(found.hazard[0].kind, HAZARD_GROUP);
        hazards_release(&found);
    }
}
END_TEST

/* Rank 0 writes, then matches with rank 1, which reads; and the reverse. */
static void expect_match(enum graph_match match, uint32_t queue, uint32_t root,
                         uint32_t writer, size_t nerrors)
{
    char what[64];
    start(2);
    op(writer, queue, GRAPH_WRITE, 0, 100);
    part(writer, queue, match, 2, 55, root);
    part(1 - writer, queue, match, 2, 55, root);
    op(1 - writer, queue, GRAPH_READ, 0, 100);
    snprintf(what, sizeof what, "match %d, queue %u, root %u, writer %u", match,
             queue, root, writer);
    expect(nerrors, what);
}

START_TEST(a_match_orders_what_the_rules_say)
{
    for (uint32_t queue = 0; queue < 2; queue++)
        for (uint32_t writer = 0; writer < 2; writer++) {
            const uint32_t other = 1 - writer;
            expect_match(GRAPH_MATCH_ALL, queue, 0, writer, 0);
            expect_match(GRAPH_MATCH_FROM_ROOT, queue, writer, writer, 0);
            expect_match(GRAPH_MATCH_FROM_ROOT, queue, other, writer, 1);
            expect_match(GRAPH_MATCH_TO_ROOT, queue, other, writer, 0);
            expect_match(GRAPH_MATCH_TO_ROOT, queue, writer, writer, 1);
            expect_match(GRAPH_MATCH_MESSAGE, queue, 0, writer, writer);
            expect_match(GRAPH_MATCH_PAIR, queue, 0, writer,
                         queue ? writer : 0);
        }
}
END_TEST

/* Rank 0 is the root, rank 1 writes, rank 2 reads, all three match: does the
 * match order operations of two ranks that are not its root? */
START_TEST(ranks_other_than_the_root_are_ordered_by_all_only)
{
    static const struct {
        enum graph_match match;
        size_t nerrors;
    } cases[] = {{GRAPH_MATCH_ALL, 0},
                 {GRAPH_MATCH_FROM_ROOT, 1},
                 {GRAPH_MATCH_TO_ROOT, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint32_t queue = 0; queue < 2; queue++) {
            char what[64];
            start(3);
            op(1, queue, GRAPH_WRITE, 0, 100);
            for (uint32_t rank = 0; rank < 3; rank++)
                part(rank, queue, cases[i].match, 3, 55, 0);
            op(2, queue, GRAPH_READ, 0, 100);
            snprintf(what, sizeof what, "match %d, queue %u", cases[i].match,
                     queue);
            expect(cases[i].nerrors, what);
        }
}
END_TEST

START_TEST(a_part_that_is_not_recorded_orders_nothing)
{
    start(2);
    op(0, 1, GRAPH_WRITE, 0, 100);
    part(0, 1, GRAPH_MATCH_ALL, 3, 9, 0);
    part(1, 1, GRAPH_MATCH_ALL, 3, 9, 0);
    op(1, 1, GRAPH_READ, 0, 100);
    expect(0, "two of three");
}
END_TEST

START_TEST(what_hung_is_left_out)
{
    start(2);
    // Each waits for the other's second operation.
    part(0, 1, GRAPH_MATCH_ALL, 2, 1, 0);
    part(0, 1, GRAPH_MATCH_ALL, 2, 2, 0);
    part(1, 1, GRAPH_MATCH_ALL, 2, 2, 0);
    part(1, 1, GRAPH_MATCH_ALL, 2, 1, 0);
    op(0, 1, GRAPH_WRITE, 0, 10);
    op(1, 1, GRAPH_WRITE, 0, 10);
    expect(0, "a deadlock");
}
END_TEST

START_TEST(other_threads_know_what_was_known)
{
    start(1);
    SYNTHETIC(&s, 0, .name = "kernel",
              .node = {.kind = GRAPH_COPY, .queue = 1, .thread = 1},
              .accesses = {{A, 0, 10, GRAPH_WRITE, 0}});
    SYNTHETIC(&s, 0, .name = "sync", .node = {.kind = GRAPH_HOST, .thread = 1},
              .deps = {{0, 1}});
    op(0, 0, GRAPH_READ, 0, 10);
    expect(0, "another thread has waited");
}
END_TEST

START_TEST(each_pair_of_calls_is_one_hazard)
{
    start(1);
    for (int i = 0; i < 10; i++) {
        op(0, 1, GRAPH_WRITE, 0, 100);
        op(0, 2, GRAPH_READ, 0, 100);
    }
    struct hazards found = finish_part(__func__);
    ck_assert_uint_eq(found.n, 2); // a read too early, a write too early
    for (int i = 0; i < 2; i++) {
        ck_assert_uint_eq(found.hazard[i].count, 10 - (unsigned)i);
        ck_assert_uint_eq(found.hazard[i].begin, 0);
        ck_assert_uint_eq(found.hazard[i].end, 100);
    }
    hazards_release(&found);
}
END_TEST

/* Memory that a queue uses is freed by the host, or by another queue. */
START_TEST(who_frees_is_told_how_to_wait)
{
    static const char *const says[] = {
        ": synchronise that\n  stream first.\n",
        ": let its stream\n  wait on an event recorded after it.\n"};
    char text[4096];
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 1000);
    op(0, _i ? 2 : 0, GRAPH_FREE, 0, 1000);
    struct hazards found =
        finish_part(_i ? "freed in a stream" : "freed on the host");
    ck_assert_uint_eq(found.n, 1);
    hazard_text(&found.hazard[0], text, sizeof text);
    ck_assert_msg(strstr(text, says[_i]), "%s", text);
    hazards_release(&found);
}
END_TEST

START_TEST(rough_ranges_accuse_nobody)
{
    start(1);
    op(0, 1, GRAPH_WRITE | GRAPH_ROUGH, 0, 100);
    op(0, 2, GRAPH_WRITE, 0, 100);
    expect(0, "a rough range");
}
END_TEST

START_TEST(kernels_of_two_devices_may_talk_by_atomics)
{
    for (int32_t device = 0; device < 2; device++) {
        start(1);
        const struct graph_ref all = op(0, 3, GRAPH_WRITE, 0, 100);
        for (uint32_t i = 0; i < 2; i++)
            SYNTHETIC(&s, 0, .name = "kernel", .deps = {all},
                      .node = {.kind = GRAPH_KERNEL,
                               .queue = 1 + i,
                               .place = i ? device : 0},
                      .accesses = {{A, 0, 10, GRAPH_WRITE, 0},
                                   {A, 50, 54, GRAPH_ATOMIC, 0}});
        expect(device == 0, "kernels with a flag");
    }
}
END_TEST

START_TEST(behind_a_host_function_it_is_a_warning)
{
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 100);
    SYNTHETIC(&s, 0, .name = "callback",
              .node = {.kind = GRAPH_HOSTFN, .queue = 1});
    op(0, 0, GRAPH_READ, 0, 100);
    struct hazards found = finish_part(__func__);
    ck_assert_uint_eq(found.n, 1);
    ck_assert_uint_eq(found.nerrors, 0);
    hazards_release(&found);
}
END_TEST

START_TEST(hazards_beyond_the_most_are_left_out)
{
    start(2);
    for (int round = 0; round < 2; round++) // the second only counts
        for (int i = 0; i <= HAZARD_MAX; i++) {
            char name[32];
            snprintf(name, sizeof name, "call %d", i);
            SYNTHETIC(&s, 1, .name = name,
                      .node = {.kind = GRAPH_COLL,
                               .queue = 1,
                               .op = TOPO_OP_ALLREDUCE,
                               .match_rank = 1,
                               .match_size = 2},
                      .accesses = {{A, 0, 40, GRAPH_READ, 0},
                                   {A, 4, 44, GRAPH_WRITE, 0}});
            for (uint32_t queue = 2; queue <= 3; queue++)
                SYNTHETIC(&s, 0, .name = name,
                          .node = {.kind = GRAPH_MEMSET, .queue = queue},
                          .accesses = {{A, 100, 110, GRAPH_WRITE, 0}});
        }
    struct hazards found = finish_part(__func__);
    ck_assert_uint_eq(found.n, HAZARD_MAX);
    for (size_t i = 0; i < found.n; i++)
        ck_assert_uint_ge(found.hazard[i].count, 2);
    hazards_release(&found);
}
END_TEST

/* ---- one operation alone ------------------------------------------------- */

START_TEST(in_place_is_no_overlap)
{
    static const struct {
        enum topo_op op;
        uint64_t in, in_nbytes, out, out_nbytes;
        size_t nerrors;
    } cases[] = {
        {TOPO_OP_ALLREDUCE, 0, 40, 0, 40, 0},
        {TOPO_OP_ALLREDUCE, 0, 40, 4, 40, 1},
        {TOPO_OP_ALLREDUCE, 0, 40, 40, 40, 0},
        {TOPO_OP_ALLGATHER, 110, 10, 100, 20, 0},
        {TOPO_OP_ALLGATHER, 100, 10, 100, 20, 1},
        {TOPO_OP_REDUCESCATTER, 100, 20, 110, 10, 0},
        {TOPO_OP_REDUCESCATTER, 100, 20, 100, 10, 1},
        {TOPO_OP_ALLTOALL, 0, 40, 0, 40, 1},
        {TOPO_OP_ALLTOALL, 0, 40, 40, 40, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(2);
        op(1, 1, GRAPH_WRITE, 0, 1000);
        SYNTHETIC(
            &s, 1, .name = "collective",
            .node = {.kind = GRAPH_COLL,
                     .queue = 1,
                     .op = cases[i].op,
                     .match_rank = 1,
                     .match_size = 2},
            .accesses = {{A, cases[i].in, cases[i].in + cases[i].in_nbytes,
                          GRAPH_READ, 0},
                         {A, cases[i].out, cases[i].out + cases[i].out_nbytes,
                          GRAPH_WRITE, 0}});
        expect(cases[i].nerrors, "a collective's buffers");
    }
}
END_TEST

static void kernel(enum graph_touch a, uint64_t a_begin, uint64_t a_end,
                   enum graph_touch b, uint64_t b_begin, uint64_t b_end)
{
    SYNTHETIC(
        &s, 0, .name = "kernel", .node = {.kind = GRAPH_KERNEL, .queue = 1},
        .accesses = {{A, a_begin, a_end, a, 0}, {A, b_begin, b_end, b, 0}});
}

START_TEST(a_kernel_reads_what_somebody_wrote)
{
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 50);
    op(0, 1, GRAPH_WRITE, 60, 100);
    kernel(GRAPH_READ, 0, 50, GRAPH_READ, 60, 100);
    expect(0, "all was written");
    start(1);
    op(0, 1, GRAPH_WRITE, 0, 50);
    op(0, 1, GRAPH_WRITE, 60, 100);
    kernel(GRAPH_READ, 0, 100, GRAPH_READ, 0, 0);
    struct hazards found = finish_part(__func__);
    ck_assert_uint_eq(found.nerrors, 1);
    ck_assert_int_eq(found.hazard[0].kind, HAZARD_UNINITIALISED);
    ck_assert_uint_eq(found.hazard[0].begin, 50);
    ck_assert_uint_eq(found.hazard[0].end, 60);
    hazards_release(&found);
}
END_TEST

START_TEST(what_a_kernel_writes_itself_it_may_read)
{
    start(1);
    kernel(GRAPH_READ, 0, 100, GRAPH_WRITE, 0, 100);
    expect(0, "scratch memory");
    start(1);
    kernel(GRAPH_READ | GRAPH_FIRST, 0, 4, GRAPH_WRITE, 0, 100);
    expect(1, "it read before it wrote");
}
END_TEST

START_TEST(a_copy_hands_on_what_was_written)
{
    for (uint64_t end = 90; end <= 100; end += 10) {
        start(1);
        graph_note_alloc(s.rank[0], A + 1, 0, 1000, 0);
        op(0, 1, GRAPH_WRITE, 0, end);
        SYNTHETIC(&s, 0, .name = "copy",
                  .node = {.kind = GRAPH_COPY, .queue = 1},
                  .accesses = {{A + 1, 200, 300, GRAPH_WRITE, 0},
                               {A, 0, 100, GRAPH_READ, 0}});
        SYNTHETIC(&s, 0, .name = "100%s kernel",
                  .node = {.kind = GRAPH_KERNEL, .queue = 1},
                  .accesses = {{A + 1, 200, 300, GRAPH_READ, 0}});
        expect(end < 100, "a copy");
    }
}
END_TEST

START_TEST(an_unordered_write_is_a_race_and_no_unwritten_read)
{
    for (uint32_t first = 1; first <= 2; first++) {
        start(1);
        for (uint32_t i = 0; i < 2; i++)
            SYNTHETIC(
                &s, 0, .name = (first + i) % 2 ? "write" : "read",
                .node = {.kind = GRAPH_KERNEL, .queue = 1 + i},
                .accesses = {
                    {A, 0, 10, (first + i) % 2 ? GRAPH_WRITE : GRAPH_READ, 0}});
        struct hazards found = finish_part(__func__);
        ck_assert_uint_eq(found.n, 1);
        ck_assert_int_eq(found.hazard[0].kind, HAZARD_RACE);
        hazards_release(&found);
    }
}
END_TEST

/* The hazards of the recording as the next part of a run; ends it. */
static size_t next_part(struct hazard_past *past)
{
    char err[256] = "";
    struct hazards found;
    struct graph *const g = synthetic_load(&s);
    g->is_part = 1;
    ck_assert_msg(hazards_find_next(past, g, NULL, &found, err, sizeof err) ==
                      0,
                  "%s", err);
    const size_t n = found.nerrors;
    hazards_release(&found);
    graph_free(g);
    synthetic_release(&s);
    return n;
}

/* A run in two parts: the second reads what the first allocated, and wrote
 * unless _i is 0. Without the first part nothing is known. */
/* A kernel of rank 1 waits for one of rank 0 and then for another. In the end
 * it reads what the n-th of them wrote, in a block that has been behind for
 * so many parts. */
static void read_behind(int n, uint32_t behind)
{
    struct graph_ref written[2];
    const uint64_t begin = 100 * (uint64_t)n;
    const struct graph_access read = {
        A, begin, begin + 100, behind << GRAPH_BEHIND_SHIFT | GRAPH_READ, 0};
    start(2);
    for (uint32_t i = 0; i < 2; i++)
        written[i] = SYNTHETIC(
            &s, 0, .name = "write", .node = {.kind = GRAPH_KERNEL, .queue = 1},
            .accesses = {{A, 100 * i, 100 * i + 100, GRAPH_WRITE, 0}});
    const struct graph_ref reader = SYNTHETIC(
        &s, 1, .name = "read", .node = {.kind = GRAPH_KERNEL, .queue = 1});
    for (int i = 0; i < 2; i++)
        graph_part(s.rank[1], reader.index,
                   &(struct graph_point){0, written[i].index, 0}, 1, 0);
    graph_amend(s.rank[1], reader.index, 0, NULL, 0, &read, 1);
}

START_TEST(a_block_that_is_behind_knows_what_its_kernel_knew_then)
{
    static const struct {
        int n;
        uint32_t behind;
        size_t nerrors;
    } reads[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1},
                 {0, 2, 1}, {1, 2, 1}, {0, 3, 0}, {1, GRAPH_BEHIND_MOST, 0}};
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        read_behind(reads[i].n, reads[i].behind);
        expect(reads[i].nerrors, "behind");
    }
}
END_TEST

START_TEST(a_part_knows_what_earlier_parts_wrote)
{
    struct hazard_past *const past = hazard_past_new();
    ck_assert(past != NULL);
    for (int second = 0; second < 2; second++) {
        start(1);
        if (!second && _i)
            op(0, 1, GRAPH_WRITE, 0, 100);
        if (second)
            SYNTHETIC(&s, 0, .name = "kernel",
                      .node = {.kind = GRAPH_KERNEL, .queue = 1},
                      .accesses = {{A, 0, 100, GRAPH_READ, 0}});
        ck_assert_uint_eq(next_part(past), second && !_i);
    }
    hazard_past_free(past);
    start(1);
    SYNTHETIC(&s, 0, .name = "kernel",
              .node = {.kind = GRAPH_KERNEL, .queue = 1},
              .accesses = {{A, 0, 100, GRAPH_READ, 0}});
    ck_assert_uint_eq(next_part(NULL), 0);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("hazards");
    TCase *const t = tcase_create("order");
    tcase_add_test(t, a_run_without_operations_has_no_hazards);
    tcase_add_test(t, a_queue_is_in_order);
    tcase_add_test(t, two_queues_are_not);
    tcase_add_test(t, a_dep_orders_and_passes_on);
    tcase_add_test(t, enqueueing_tells_the_host_nothing);
    tcase_add_test(t, a_group_is_a_unit_without_order_inside);
    tcase_add_test(t, a_match_orders_what_the_rules_say);
    tcase_add_test(t, ranks_other_than_the_root_are_ordered_by_all_only);
    tcase_add_test(t, a_part_that_is_not_recorded_orders_nothing);
    tcase_add_test(t, a_block_that_is_behind_knows_what_its_kernel_knew_then);
    tcase_add_test(t, what_hung_is_left_out);
    tcase_add_test(t, other_threads_know_what_was_known);
    tcase_add_test(t, each_pair_of_calls_is_one_hazard);
    tcase_add_loop_test(t, who_frees_is_told_how_to_wait, 0, 2);
    tcase_add_test(t, rough_ranges_accuse_nobody);
    tcase_add_test(t, kernels_of_two_devices_may_talk_by_atomics);
    tcase_add_test(t, behind_a_host_function_it_is_a_warning);
    tcase_add_test(t, hazards_beyond_the_most_are_left_out);
    tcase_add_test(t, in_place_is_no_overlap);
    tcase_add_test(t, a_kernel_reads_what_somebody_wrote);
    tcase_add_test(t, what_a_kernel_writes_itself_it_may_read);
    tcase_add_test(t, a_copy_hands_on_what_was_written);
    tcase_add_test(t, an_unordered_write_is_a_race_and_no_unwritten_read);
    tcase_add_loop_test(t, a_part_knows_what_earlier_parts_wrote, 0, 2);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
