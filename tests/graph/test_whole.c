/*
 * A run with a bit of everything, on two machines with a network between them:
 * what each command and picture makes of it, to the letter.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "golden.h"
#include "graph/span.h"
#include "graph/view.h"
#include "replayed.h"
#include "suite.h"

enum { US = 1000000, RANKS = 3, K = 1 << 10, M = 1 << 20 }; /* US: ps */

static struct synthetic s;

/* Ranks 0 and 1 are in the first node, rank 2 is in the other one. */
static int32_t gpu_of(uint32_t rank)
{
    return rank == 2 ? 8 : (int32_t)rank;
}

static uint64_t memory_of(uint32_t rank, uint32_t number)
{
    return (uint64_t)rank << 32 | number;
}

static struct graph_ref kernel(uint32_t r, uint32_t queue, const char *name,
                               double flops, uint64_t from, uint64_t to)
{
    return SYNTHETIC(&s, r, .name = name,
                     .node = {.kind = GRAPH_KERNEL,
                              .queue = queue,
                              .place = gpu_of(r),
                              .host_ps = 2 * US,
                              .latency_ps = US,
                              .math = queue == 2 ? TOPO_FP32 : TOPO_FP16,
                              .elem_size = 4096,
                              .flops = flops},
                     .moves = {{gpu_of(r), gpu_of(r), 3 * M},
                               {gpu_of(r), gpu_of(1), 64 * K}},
                     .accesses = {{memory_of(r, 1), from, to, GRAPH_WRITE, 0}});
}

static struct graph_ref copy(uint32_t r, const char *name, int32_t from,
                             int32_t to, uint32_t flags, uint64_t nbytes)
{
    return SYNTHETIC(&s, r, .name = name,
                     .node = {.kind = GRAPH_COPY,
                              .queue = 3,
                              .place = gpu_of(r),
                              .host_ps = US,
                              .flags = flags},
                     .moves = {{from, to, nbytes}});
}

/* One rank's part of something that ranks do together. */
static struct graph_ref together(uint32_t r, const char *name,
                                 struct graph_node n)
{
    n.place = n.queue ? gpu_of(r) : TOPO_HOST_PLACE(r == 2);
    n.host_ps = US / 2;
    n.match_rank = n.match_size == 2 && n.match_kind >= GRAPH_MATCH_PAIR
                       ? n.kind == GRAPH_RECV || (n.kind == GRAPH_MPI && r == 1)
                       : r;
    return SYNTHETIC(&s, r, .name = name, .node = n);
}

static void notes(uint32_t r)
{
    struct graph_segment *const to = s.rank[r];
    graph_note_machine(to, "2x-dgx-h100");
    graph_note_queue(to, 1, gpu_of(r), "stream");
    graph_note_queue(to, 2, gpu_of(r), "non-blocking stream");
    graph_note_queue(to, 3, gpu_of(r), "default stream");
    SYNTHETIC(&s, r, .name = "ncclCommInitRank",
              .node = {.kind = GRAPH_HOST,
                       .host_ps = US,
                       .latency_ps = (1500 + 100 * r) * (uint64_t)US});
    graph_note_alloc(to, memory_of(r, 1), gpu_of(r), 4 * M, 0);
    graph_note_alloc(to, memory_of(r, 2), TOPO_HOST_PLACE(r == 2), M, 0);
    graph_note_alloc(to, memory_of(r, 3), gpu_of(r), 2 * M, 0);
}

/* Kernels of two streams that write the same bytes; copies of each kind. */
static void compute_and_copy(uint32_t r)
{
    graph_span(graph_string(s.rank[r], "step #0"));
    const struct graph_ref a = kernel(r, 1, "gemm<float>", 4e9, 0, M);
    kernel(r, 2, "bias & relu", (1 + r) * 1e8, M - 16, M + 16);
    copy(r, "cudaMemcpyAsync", TOPO_HOST_PLACE(r == 2), gpu_of(r), 0, 512 * K);
    if (r == 0) {
        copy(r, "cudaMemcpyPeerAsync", 0, 1, GRAPH_STAGED, 2 * M);
        copy(r, "cudaMemcpyPeerAsync", 0, 1, 0, 2 * M);
        copy(r, "nvshmem_put", 0, 8, GRAPH_NETWORK, M);
        copy(r, "cudaMemcpy2DAsync", 0, 0, 0, 96 * K);
    }
    SYNTHETIC(&s, r, .name = "cudaMemsetAsync",
              .node = {.kind = GRAPH_MEMSET, .queue = 3, .place = gpu_of(r)},
              .moves = {{gpu_of(r), gpu_of(r), 256 * K}}, .deps = {a},
              .accesses = {{memory_of(r, 3), 0, 256 * K, GRAPH_WRITE, 0}});
    SYNTHETIC(&s, r, .name = "cudaEventRecord",
              .node = {.kind = GRAPH_MARK, .queue = 3, .host_ps = US / 4});
    together(r, "ncclAllReduce",
             (struct graph_node){.kind = GRAPH_COLL,
                                 .op = TOPO_OP_ALLREDUCE,
                                 .queue = 1,
                                 .match = 1,
                                 .match_kind = GRAPH_MATCH_ALL,
                                 .match_size = RANKS,
                                 .latency_ps = r * US,
                                 .bytes = 8 * M});
}

/* Rank r sends to the next and receives from the one before, in a group. */
static void ring(uint32_t r)
{
    graph_span(graph_string(s.rank[r], "ring #0"));
    for (int receives = 0; receives < 2; receives++) {
        const uint32_t peer = (r + (receives ? RANKS - 1 : 1)) % RANKS;
        const uint32_t sender = receives ? peer : r;
        SYNTHETIC(&s, r, .name = receives ? "ncclRecv" : "ncclSend",
                  .node = {.kind = receives ? GRAPH_RECV : GRAPH_SEND,
                           .op = TOPO_OP_SENDRECV,
                           .queue = 1,
                           .place = gpu_of(r),
                           .peer_place = gpu_of(peer),
                           .group = 1,
                           .host_ps = receives ? 0 : US,
                           .match = 10 + sender,
                           .match_kind = GRAPH_MATCH_PAIR,
                           .match_size = 2,
                           .match_rank = (uint32_t)receives,
                           .bytes = M},
                  .accesses = {{memory_of(r, 1), receives ? 2 * M : 0,
                                receives ? 3 * M : M,
                                receives ? GRAPH_WRITE : GRAPH_READ, 0}});
    }
    SYNTHETIC(&s, r, .name = "add",
              .node = {.kind = GRAPH_KERNEL,
                       .queue = 1,
                       .place = gpu_of(r),
                       .host_ps = 2 * US,
                       .latency_ps = US},
              .moves = {{gpu_of(r), gpu_of(r), 3 * M}},
              .accesses = {{memory_of(r, 1), 2 * M, 3 * M, GRAPH_READ, 0},
                           {memory_of(r, 1), 0, M, GRAPH_READ, 0},
                           {memory_of(r, 1), 0, M, GRAPH_WRITE, 0}});
    graph_span(0);
}

/* MPI calls of each kind; the message goes from rank 0 to rank 1. */
static void meet(uint32_t r)
{
    static const struct {
        const char *name;
        enum topo_op op;
        enum graph_match match;
        uint32_t nranks;
        uint64_t bytes;
    } call[] = {
        {"MPI_Barrier", TOPO_OP_BARRIER, GRAPH_MATCH_ALL, RANKS, 0},
        {"MPI_Bcast", TOPO_OP_BROADCAST, GRAPH_MATCH_FROM_ROOT, RANKS, 4 * K},
        {"MPI_Reduce", TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, RANKS, 8 * K},
        {"MPI_Allgather", TOPO_OP_ALLGATHER, GRAPH_MATCH_ALL, RANKS, 100 * K},
        {"MPI_Ssend", TOPO_OP_SENDRECV, GRAPH_MATCH_PAIR, 2, 16 * K},
        {"MPI_Send", TOPO_OP_SENDRECV, GRAPH_MATCH_MESSAGE, 2, 64},
    };
    for (uint32_t i = 0; i < sizeof call / sizeof *call; i++)
        if (r < call[i].nranks)
            together(r, call[i].name,
                     (struct graph_node){.kind = GRAPH_MPI,
                                         .op = (uint8_t)call[i].op,
                                         .match = 20 + i,
                                         .match_kind = (uint8_t)call[i].match,
                                         .match_size = call[i].nranks,
                                         .bytes = call[i].bytes});
}

/* A kernel that runs in parts and puts bytes; what waits; another thread. */
static void finish(uint32_t r)
{
    graph_span(graph_string(s.rank[r], "step #1"));
    const struct graph_ref k = kernel(r, 2, "persistent", 1e8, 3 * M, 4 * M);
    const struct graph_move put = {gpu_of(r), gpu_of((r + 1) % RANKS), M};
    graph_aside(s.rank[r], k.index, 9, "put", NULL, 0, US);
    graph_amend(s.rank[r], k.index, 0, &put, 1, NULL, 0);
    graph_part(s.rank[r], k.index, &(struct graph_point){r, k.index, 0}, 1, US);
    graph_amend(s.rank[r], k.index, 5e8, NULL, 0, NULL, 0);
    SYNTHETIC(&s, r, .name = "callback",
              .node = {.kind = GRAPH_HOSTFN, .queue = 2, .latency_ps = 3 * US});
    SYNTHETIC(&s, r, .name = "cudaStreamSynchronize",
              .node = {.kind = GRAPH_HOST, .host_ps = US, .latency_ps = US},
              .deps = {k});
    SYNTHETIC(&s, r, .name = "cudaMemcpy",
              .node = {.kind = GRAPH_COPY,
                       .queue = 3,
                       .place = gpu_of(r),
                       .host_ps = US,
                       .flags = GRAPH_JOIN},
              .moves = {{gpu_of(r), TOPO_HOST_PLACE(r == 2), 128 * K}});
    graph_span(0);
    SYNTHETIC(&s, r,
              .node = {.kind = GRAPH_HOST, .thread = 1, .host_ps = 4 * US});
    SYNTHETIC(&s, r, .name = "cudaFree",
              .node = {.kind = GRAPH_HOST, .host_ps = 2 * US},
              .accesses = {{memory_of(r, 3), 0, 2 * M, GRAPH_FREE, 0}});
    graph_note_fault(s.rank[r], k.index, 0, r == 2, "it waits for \"nobody\"");
}

static void setup(void)
{
    synthetic_init(&s, RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        notes(r);
        compute_and_copy(r);
        ring(r);
        meet(r);
        finish(r);
    }
    graph_free(synthetic_load(&s));
}

static void teardown(void)
{
    synthetic_release(&s);
}

/* ---- commands ------------------------------------------------------------ */

static const struct {
    const char *name, *command;
    int status;
} commands[] = {
    {"time.txt", "time .", 0},
    {"time.json", "time --json .", 0},
    {"path.txt", "critical-path .", 0},
    {"hazards.txt", "hazards .", 1},
    {"hazards.json", "hazards --json .", 1},
    {"explain.txt", "explain .", 0},
    {"explain.json", "explain --json --span 'step #0' .", 0},
    {"timeline.svg", "timeline . -o t.svg && cat t.svg && rm t.svg", 0},
    {"ring.svg",
     "timeline . --span 'ring #0' --ranks 2 -o t.svg && cat t.svg && rm t.svg",
     0},
    {"timeline.json", "timeline . -o t.json && cat t.json && rm t.json", 0},
    {"no-path.txt", "time . --topo dgx-a100", 1},
    {"no-host.txt", "time . --topo gb200-nvl72", 1},
};

START_TEST(a_command_prints_what_it_did)
{
    char file[64];
    struct child c = child_run(60, "cd %s && %s/commgraph %s 2>&1", s.dir,
                               child_build(), commands[_i].command);
    snprintf(file, sizeof file, "tests/graph/whole/%s", commands[_i].name);
    golden_expect(file, c.out);
    ck_assert_int_eq(c.status, commands[_i].status);
    child_clear(&c);
}
END_TEST

static void expect_view(const char *span, const char *file)
{
    struct replayed t;
    replayed_saved(&t, s.dir);
    const struct replay_options options = {0};
    char *const in = calloc((size_t)t.g->nnodes + 1, 1), *text;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    if (span)
        span_mark(t.g, span, in);
    ck_assert_int_eq(view_data(f, &(struct view){.graph = t.g,
                                                 .topo = t.topo,
                                                 .replay = t.r,
                                                 .options = &options,
                                                 .title = "a \"run\"",
                                                 .in = span ? in : NULL}),
                     0);
    fclose(f);
    golden_expect(file, text);
    free(text);
    free(in);
    replayed_release(&t);
}

START_TEST(a_page_is_made_of_what_it_was)
{
    expect_view(NULL, "tests/graph/whole/view.json");
    expect_view("ring #0", "tests/graph/whole/view-ring.json");
    expect_view("nonesuch", "tests/graph/whole/view-none.json");
}
END_TEST

/* What an operation has in its past, and when it ends in that past alone. */
static int answer(FILE *f, struct graph_live *l, const struct topo *topo,
                  struct graph_ref ref)
{
    char err[512];
    struct graph *const g = graph_past(l, &ref, 1, 0, err, sizeof err);
    if (!g) {
        fprintf(f, "%s\n", err);
        return 0;
    }
    struct replay *const past = replay_run(g, topo, NULL, err, sizeof err);
    ck_assert_msg(past != NULL, "%u %u: %s", ref.rank, ref.index, err);
    fprintf(f, "%u %u: %u operations, to %llu ps, cut %u\n", ref.rank,
            ref.index, g->nnodes,
            (unsigned long long)replay_node(past, ref)->end_ps,
            graph_live_cut(l, ref));
    replay_free(past);
    graph_free(g);
    return 1;
}

START_TEST(a_question_to_the_running_job_gets_the_same_answer)
{
    char err[512], *text;
    size_t nbytes;
    FILE *const f = open_memstream(&text, &nbytes);
    struct graph_live *const l = synthetic_live(&s);
    struct topo *const topo = topo_load("2x-dgx-h100", err, sizeof err);
    ck_assert_msg(graph_live_update(l, err, sizeof err) == 0, "%s", err);
    for (uint32_t r = 0; r < RANKS; r++) {
        struct graph_ref ref = {r, 1};
        while (answer(f, l, topo, ref))
            ref.index++;
    }
    fclose(f);
    golden_expect("tests/graph/whole/live.txt", text);
    free(text);
    topo_free(topo);
    graph_live_free(l);
}
END_TEST

int main(void)
{
    Suite *const suite = suite_create("whole");
    TCase *const t = tcase_create("whole");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, a_command_prints_what_it_did, 0,
                        sizeof commands / sizeof *commands);
    tcase_add_test(t, a_page_is_made_of_what_it_was);
    tcase_add_test(t, a_question_to_the_running_job_gets_the_same_answer);
    suite_add_tcase(suite, t);
    return suite_run(suite);
}
