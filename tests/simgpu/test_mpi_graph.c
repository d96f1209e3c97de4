/* What the graph has of each call of MPI: whom it matches, how many bytes, and
 * which memory it touches. */
#include <check.h>
#include <stdio.h>  /* fprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "golden.h"
#include "graph/replay/load.h"
#include "suite.h"

/* Position of the first node with v's match. */
static uint32_t first_of(const struct graph *g, const struct graph_view *v)
{
    uint32_t at = 0;
    while (g->nodes[at].node.match != v->node.match)
        at++;
    return at;
}

/* " reads 1:8+12": 12 bytes from byte 8 of its rank's allocation 1. Ordinary
 * memory is number 0, at addresses that differ. */
static void print_accesses(FILE *f, const struct graph_view *v)
{
    for (size_t i = 0; i < v->naccesses; i++) {
        const struct graph_access *const a = &v->accesses[i];
        const uint32_t number = (uint32_t)a->alloc;
        ck_assert_uint_eq(a->alloc >> 32, v->node.rank);
        fprintf(f, ", %s %u:", a->write ? "writes" : "reads", number);
        if (number)
            fprintf(f, "%llu", (unsigned long long)a->begin);
        fprintf(f, "+%llu", (unsigned long long)(a->end - a->begin));
    }
}

static const char *const ops[] = {[TOPO_OP_ALLREDUCE] = "allreduce",
                                  [TOPO_OP_BROADCAST] = "broadcast",
                                  [TOPO_OP_REDUCE] = "reduce",
                                  [TOPO_OP_ALLGATHER] = "allgather",
                                  [TOPO_OP_REDUCESCATTER] = "reduce-scatter",
                                  [TOPO_OP_ALLTOALL] = "alltoall",
                                  [TOPO_OP_GATHER] = "gather",
                                  [TOPO_OP_SCATTER] = "scatter",
                                  [TOPO_OP_BARRIER] = "barrier",
                                  [TOPO_OP_SENDRECV] = "sendrecv"};

/* A line for each call; those that match have the number of the first. */
static void print(FILE *f, const struct graph *g)
{
    static const char *const kinds[] = {"",        "of all", "from root",
                                        "to root", "pair",   "message"};
    for (uint32_t at = 0; at < g->nnodes; at++) {
        const struct graph_view *const v = &g->nodes[at];
        const struct graph_node *const n = &v->node;
        if (n->kind != GRAPH_MPI)
            continue;
        fprintf(f, "%u %s", n->rank, v->name);
        if (n->match)
            fprintf(f, " #%u: %s, %s, %u/%u, root %u", first_of(g, v),
                    ops[n->op], kinds[n->match_kind], n->match_rank,
                    n->match_size, n->match_root);
        fprintf(f, ", %llu bytes", (unsigned long long)n->bytes);
        print_accesses(f, v);
        fputc('\n', f);
    }
}

START_TEST(the_graph_has_what_each_call_says)
{
    char dir[CHILD_FOLDER], err[512];
    child_folder(dir, "commlab-mpi-graph");
    struct child c = child_run(
        60, "SIMGPU_GRAPH=%s mpirun -n 3 %s/tests/simgpu/prog_mpi_graph", dir,
        child_build());
    ck_assert_msg(c.status == 0, "status %d: %s%s", c.status, c.out, c.err);
    child_clear(&c);
    struct graph *const g = graph_load(dir, err, sizeof err);
    ck_assert_msg(g != NULL, "%s", err);
    FILE *const f = golden_begin();
    print(f, g);
    golden_end(f, "tests/simgpu/graphs.txt#mpi");
    graph_free(g);
    child_remove(dir);
}
END_TEST

/* What operations do to buffers of messages: prog_mpi_lent's ways.
 * NULL: nothing is reported. */
static const struct {
    const char *way, *says;
} lent[] = {
    {"copy-into-sent",
     "race: cudaMemcpyAsync at prog_mpi_lent.cu:28 writes bytes that MPI_Isend "
     "at prog_mpi_lent.cu:70 may read until a wait finds the request"},
    {"kernel-into-sent",
     "race: add at prog_mpi_lent.cu:34 writes bytes that MPI_Isend at "
     "prog_mpi_lent.cu:70 may read until a wait finds the request complete"},
    {"kernel-reads-received",
     "race: add at prog_mpi_lent.cu:34 reads bytes that MPI_Irecv at "
     "prog_mpi_lent.cu:72 may write until a wait finds the request complete"},
    {"kernel-reads-sent", NULL},
    {"freed", "lifetime: cudaFree at prog_mpi_lent.cu:49 frees memory that "
              "MPI_Isend at prog_mpi_lent.cu:70 may read until a wait finds "
              "the request complete: call MPI_Wait first"},
    {"beside", NULL},
    {"waited", NULL},
    {"host-function", NULL},
    {"in-stream", NULL},
    {"beside-stream", "MPI_Send reads them at prog_mpi_lent.cu:80 (rank 0, a "
                      "host function of stream 2)"},
    {"reduce-then-read",
     "race: add at prog_mpi_lent.cu:34 reads bytes that MPI_Iallreduce at "
     "prog_mpi_lent.cu:107 may write until a wait finds the request"},
    {"reduce-then-write",
     "race: cudaMemsetAsync at prog_mpi_lent.cu:112 writes bytes that "
     "MPI_Iallreduce at prog_mpi_lent.cu:107 may read until a wait finds the "
     "request complete: call MPI_Wait first"},
    {"bcast-then-read",
     "check: 1 hazard, 0 warnings in 34 operations of 2 ranks\n\n"
     "race: add at prog_mpi_lent.cu:34 reads bytes that MPI_Ibcast at "
     "prog_mpi_lent.cu:105 may write"},
    {"reduce-beside", NULL},
};
static const char *const schedules[] = {"eager", "late", "random:5"};
enum { SCHEDULES = 3, WAYS = sizeof lent / sizeof *lent };

START_TEST(messages_keep_their_buffers)
{
    const char *const way = lent[_i / SCHEDULES].way;
    const char *const says = lent[_i / SCHEDULES].says;
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 SIMGPU_SCHEDULE=%s mpirun -n 2 "
                               "%s/tests/simgpu/prog_mpi_lent %s",
                               schedules[_i % SCHEDULES], child_build(), way);
    ck_assert_msg(says
                      ? c.status == 70 && !strstr(c.err, "check: 0 hazards,") &&
                            strstr(c.err, says)
                      : c.status == 0 && strstr(c.err, "check: 0 hazards,"),
                  "%s: status %d\n%s%s", way, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

/* What host code does to buffers of messages: prog_mpi_sent's ways. */
static const struct {
    const char *way, *says;
} sent[] = {
    {"ends", NULL},
    {"either", NULL},
    {"gaps", NULL},
    {"persistent", NULL},
    {"shared", NULL},
    {"deeper", NULL},
    {"first", "element 0 of 1 has changed. Write the buffer after that call, "
              "or send a copy of it"},
    {"long", "has changed"},
    {"unmapped", NULL},
};
enum { SENT = sizeof sent / sizeof *sent };

START_TEST(host_code_leaves_what_is_sent)
{
    const char *const says = sent[_i].says;
    struct child c = child_run(60,
                               "SIMGPU_CHECK=1 mpirun -n 2 "
                               "%s/tests/simgpu/prog_mpi_sent %s",
                               child_build(), sent[_i].way);
    ck_assert_msg(says ? c.status == 70 && strstr(c.err, says) &&
                             strstr(c.err, "check: 1 hazard, 0 warnings")
                       : c.status == 0 &&
                             strstr(c.err, "check: 0 hazards, 0 warnings"),
                  "%s: status %d\n%s%s", sent[_i].way, c.status, c.out, c.err);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("mpi_graph");
    TCase *const t = tcase_create("mpi_graph");
    tcase_add_test(t, the_graph_has_what_each_call_says);
    tcase_add_loop_test(t, messages_keep_their_buffers, 0, WAYS * SCHEDULES);
    tcase_add_loop_test(t, host_code_leaves_what_is_sent, 0, SENT);
    suite_add_tcase(s, t);
    return suite_run(s);
}
