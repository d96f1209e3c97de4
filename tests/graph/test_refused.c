/*
 * Runs that can't be loaded or replayed, each for one reason, and the reason to
 * the letter.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fds.h"
#include "graph/record/format.h"
#include "graph/replay/load.h"
#include "replayed.h"
#include "suite.h"

static struct replayed run;

static void teardown(void)
{
    replayed_release(&run);
}

static void expect(const char *reason)
{
    char *const err = replayed_error(&run);
    ck_assert_str_eq(err, reason);
    free(err);
}

/* ---- matches ------------------------------------------------------------- */

/* A part of a reduction in which ranks 0 and 1 take part, and what differs in
 * rank 1's. */
#define PART                                                                   \
    .kind = GRAPH_COLL, .op = TOPO_OP_REDUCE, .queue = 1, .match = 1,          \
    .match_kind = GRAPH_MATCH_ALL, .match_size = 2

static const struct {
    struct graph_node part;
    const char *reason;
} parts[] = {
    {{PART, .match_rank = 1}, NULL},
    {{PART, .match_rank = 1, .bytes = 8, .latency_ps = 5}, NULL},
    {{PART, .match_rank = 1, .match_root = 1}, "disagree"},
    {{PART, .match_rank = 0}, "same"},
    {{.kind = GRAPH_COLL,
      .op = TOPO_OP_ALLREDUCE,
      .queue = 1,
      .match = 1,
      .match_kind = GRAPH_MATCH_ALL,
      .match_size = 2,
      .match_rank = 1},
     "disagree"},
    {{.kind = GRAPH_COLL,
      .op = TOPO_OP_REDUCE,
      .queue = 1,
      .match = 1,
      .match_kind = GRAPH_MATCH_ALL,
      .match_size = 3,
      .match_rank = 1},
     "disagree"},
    {{.kind = GRAPH_SEND,
      .op = TOPO_OP_REDUCE,
      .queue = 1,
      .match = 1,
      .match_kind = GRAPH_MATCH_ALL,
      .match_size = 2,
      .match_rank = 1},
     "disagree"},
    {{.kind = GRAPH_COLL,
      .op = TOPO_OP_REDUCE,
      .match = 1,
      .match_kind = GRAPH_MATCH_ALL,
      .match_size = 2,
      .match_rank = 1},
     "disagree"},
};

START_TEST(all_parts_of_a_match_agree)
{
    char reason[256];
    const char *const why = parts[_i].reason;
    replayed_init(&run, "dgx-h100", 2);
    struct graph_node second = parts[_i].part;
    second.place = second.queue ? 1 : TOPO_HOST_PLACE(0);
    SYNTHETIC(&run.s, 0, .name = "ncclReduce", .node = {PART, .match_rank = 0});
    SYNTHETIC(&run.s, 1, .name = "ncclReduce", .node = second);
    if (!why) {
        replayed_run(&run, NULL);
        return;
    }
    snprintf(reason, sizeof reason,
             "rank 0: operation 1 (ncclReduce ), 2 of 2 parts recorded: %s",
             strcmp(why, "same") == 0
                 ? "two operations claim to be the same rank's part"
                 : "its ranks disagree about its kind or size");
    expect(reason);
}
END_TEST

/* Rank 1 never calls. */
static const struct {
    enum graph_match kind;
    uint32_t root;
    const char *reason; /* NULL: the others need not wait for it */
} absent[] = {
    {GRAPH_MATCH_ALL, 0, "a rank's part is not recorded"},
    {GRAPH_MATCH_FROM_ROOT, 0, NULL},
    {GRAPH_MATCH_FROM_ROOT, 1, "its root's part is not recorded"},
    {GRAPH_MATCH_TO_ROOT, 0, "a rank's part is not recorded"},
    {GRAPH_MATCH_TO_ROOT, 1, NULL},
    {GRAPH_MATCH_MESSAGE, 0, NULL},
    {GRAPH_MATCH_MESSAGE, 1, "its root's part is not recorded"},
};

START_TEST(a_part_that_others_wait_for_is_there)
{
    char reason[256];
    replayed_init(&run, "dgx-h100", 2);
    SYNTHETIC(&run.s, 0, .name = "MPI",
              .node = {.kind = GRAPH_MPI,
                       .place = TOPO_HOST_PLACE(0),
                       .match = 1,
                       .match_kind = (uint8_t)absent[_i].kind,
                       .match_size = 2,
                       .match_root = absent[_i].root});
    if (!absent[_i].reason) {
        replayed_run(&run, NULL);
        return;
    }
    snprintf(reason, sizeof reason,
             "rank 0: operation 1 (MPI ), 1 of 2 parts recorded: %s",
             absent[_i].reason);
    expect(reason);
}
END_TEST

/* ---- operations ---------------------------------------------------------- */

static const struct {
    struct synthetic_op op;
    const char *reason;
} ops[] = {
    {{.node = {.kind = GRAPH_KERNEL, .queue = 1, .place = 8, .flops = 1}},
     "machine dgx-h100 has no device 8"},
    {{.node = {.kind = GRAPH_KERNEL, .queue = 1, .place = -1, .flops = 1}},
     "machine dgx-h100 has no device -1"},
    {{.node = {.kind = GRAPH_MEMSET, .queue = 1}, .moves = {{8, 8, 1}}},
     "machine dgx-h100 has no place 8"},
    {{.node = {.kind = GRAPH_KERNEL, .queue = 1}, .moves = {{0, 9, 1}}},
     "machine dgx-h100 has no path from place 0 to place 9"},
    {{.node = {.kind = GRAPH_COPY, .queue = 1}, .moves = {{9, 0, 1}}},
     "machine dgx-h100 has no path from place 9 to place 0"},
    {{.node = {.kind = GRAPH_COPY, .queue = 1},
      .moves = {{0, 1, 1}, {1, 9, 1}}},
     "machine dgx-h100 has no path from place 1 to place 9"},
    {{.node = {.kind = GRAPH_COPY, .queue = 1, .flags = GRAPH_NETWORK},
      .moves = {{0, 9, 1}}},
     "machine dgx-h100 has no path from place 0 to place 9"},
};

START_TEST(an_operation_has_a_place_on_the_machine)
{
    char reason[256];
    replayed_init(&run, "dgx-h100", 1);
    struct synthetic_op op = ops[_i].op;
    op.name = "op";
    synthetic_add(&run.s, 0, &op);
    snprintf(reason, sizeof reason, "rank 0: operation 1 (op ): %s",
             ops[_i].reason);
    expect(reason);
}
END_TEST

START_TEST(what_waits_for_itself_is_named)
{
    replayed_init(&run, "dgx-h100", 2);
    for (uint32_t r = 0; r < 2; r++) {
        SYNTHETIC(
            &run.s, r, .name = "first",
            .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = (int32_t)r},
            .deps = {{1 - r, 2}});
        SYNTHETIC(
            &run.s, r, .name = "second",
            .node = {.kind = GRAPH_KERNEL, .queue = 1, .place = (int32_t)r});
    }
    expect("rank 0: operation 1 (first ) waits for something that waits for "
           "it: 4 of 4 operations can't end");
}
END_TEST

/* ---- files --------------------------------------------------------------- */

/* Overwrite bytes of rank 1's file, and load the run. */
static void expect_load(long at, const void *bytes, size_t n,
                        const char *reason)
{
    char path[128], err[512], expected[512];
    for (int r = 0; r < 2; r++)
        ck_assert_int_eq(graph_save(run.s.rank[r]), 0);
    snprintf(path, sizeof path, "%s/rank-1.graph", run.s.dir);
    FILE *const f = fopen(path, "r+");
    fseek(f, at, at < 0 ? SEEK_END : SEEK_SET);
    fwrite(bytes, 1, n, f);
    fclose(f);
    snprintf(expected, sizeof expected, "%s: %s", path, reason);
    ck_assert_ptr_null(graph_load(run.s.dir, err, sizeof err));
    ck_assert_str_eq(err, expected);
}

START_TEST(a_file_belongs_to_its_run)
{
    const uint32_t three = 3, zero = 0;
    replayed_init(&run, "dgx-h100", 2);
    expect_load(offsetof(struct format_header, nranks), &three, sizeof three,
                "0: of a run of 3 ranks, rank 0's is of 2");
    expect_load(offsetof(struct format_header, rank), &zero, sizeof zero,
                "0: it is the graph of rank 0");
    expect_load(FORMAT_DATA, "12345678", 8,
                "4104: 4096 bytes were written, the file has 4104");
}
END_TEST

START_TEST(a_run_has_at_most_65536_ranks)
{
    char path[128], err[512];
    replayed_init(&run, "dgx-h100", 2);
    snprintf(path, sizeof path, "%s/rank-0.graph", run.s.dir);
    for (uint32_t nranks = 1 << 16; nranks <= (1 << 16) + 1; nranks++) {
        ck_assert_int_eq(graph_save(run.s.rank[0]), 0);
        FILE *const f = fopen(path, "r+");
        fseek(f, offsetof(struct format_header, nranks), SEEK_SET);
        fwrite(&nranks, sizeof nranks, 1, f);
        fclose(f);
        ck_assert_ptr_null(graph_load(run.s.dir, err, sizeof err));
        ck_assert_str_eq(err + strlen(run.s.dir),
                         nranks > 1 << 16
                             ? "/rank-0.graph: 0: of a run of 65537 ranks; "
                               "65536 are possible"
                             : "/rank-1.graph: 0: No such file or directory");
    }
}
END_TEST

static const struct {
    uint64_t used; /* bytes, as a segment's header says */
    const char *reason;
} sizes[] = {
    {0, "cannot map 0 bytes: Invalid argument"},
    {UINT64_C(1) << 60,
     "cannot map 1152921504606846976 bytes: Cannot allocate memory"},
    {sizeof(struct format_header) - 1,
     "31 bytes are no execution graph: its header has 4096"},
};

START_TEST(a_segment_that_can_not_be_mapped_is_named)
{
    char err[512], reason[600];
    const struct format_header header = {.used = sizes[_i].used};
    const int fd = memfd_create("segment", MFD_CLOEXEC);
    ck_assert_int_eq(write(fd, &header, sizeof header), sizeof header);
    ck_assert_ptr_null(graph_map(&fd, 1, err, sizeof err));
    snprintf(reason, sizeof reason, "the job/rank-0.graph: 0: %s",
             sizes[_i].reason);
    ck_assert_str_eq(err, reason);
    close(fd);
}
END_TEST

START_TEST(a_job_is_mapped_as_far_as_it_is_there)
{
    char err[512], text[64];
    int fd[2];
    replayed_init(&run, "dgx-h100", 2);
    SYNTHETIC(&run.s, 1, .node = {.kind = GRAPH_HOST});
    fd[0] = -1;
    fd[1] = graph_fd(run.s.rank[1]);
    struct graph *const g = graph_map(fd, 2, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    ck_assert_uint_eq(g->nnodes, 1);
    ck_assert_uint_eq(g->nodes[0].node.rank, 1);
    ck_assert_str_eq(graph_site_text_of(g, 2, 1, text, sizeof text), "?");
    ck_assert_str_eq(graph_site_text_of(g, 1, 1, text, sizeof text), "?");
    graph_free(g);
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    fd[0] = pipes[0];
    ck_assert_ptr_null(graph_map(fd, 2, err, sizeof err));
    ck_assert_str_eq(err, "the job/rank-0.graph: 0: cannot read its header");
    close(pipes[0]);
    close(pipes[1]);
    fd[0] = fd[1];
    ck_assert_ptr_null(graph_map(fd, 2, err, sizeof err));
    ck_assert_str_eq(err, "the job/rank-0.graph: 0: it is the graph of rank 1");
}
END_TEST

#define COUNT(table) (sizeof(table) / sizeof *(table))

int main(void)
{
    Suite *const suite = suite_create("refused");
    TCase *const t = tcase_create("refused");
    fds_watch(t);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_loop_test(t, all_parts_of_a_match_agree, 0, COUNT(parts));
    tcase_add_loop_test(t, a_part_that_others_wait_for_is_there, 0,
                        COUNT(absent));
    tcase_add_loop_test(t, an_operation_has_a_place_on_the_machine, 0,
                        COUNT(ops));
    tcase_add_test(t, what_waits_for_itself_is_named);
    tcase_add_test(t, a_file_belongs_to_its_run);
    tcase_add_test(t, a_run_has_at_most_65536_ranks);
    tcase_add_loop_test(t, a_segment_that_can_not_be_mapped_is_named, 0,
                        COUNT(sizes));
    tcase_add_test(t, a_job_is_mapped_as_far_as_it_is_there);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
