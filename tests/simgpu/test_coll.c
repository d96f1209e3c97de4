/* What each collective of NCCL is: on both sides of its root, and between each
 * two of three ranks. */
#include <check.h>

#include "nccl/coll.h"
#include "nccl/comm.h"
#include "suite.h"

enum {
    RANKS = 3,
    ROOT = 1,
    COUNT = 5,
    BLOCK = COUNT * 2 /* bytes of halves */
};

static const struct {
    enum coll_kind kind;
    enum topo_op op;
    enum graph_match match;
    int func;            /* as ncclFunc_t numbers it */
    int root[2], any[2]; /* blocks that the root and others send, receive */
    int size;            /* of the operation, in blocks */
    int is_messages;
} kinds[] = {
    {COLL_ALLREDUCE,
     TOPO_OP_ALLREDUCE,
     GRAPH_MATCH_ALL,
     4,
     {1, 1},
     {1, 1},
     1,
     0},
    {COLL_BROADCAST,
     TOPO_OP_BROADCAST,
     GRAPH_MATCH_FROM_ROOT,
     0,
     {1, 1},
     {0, 1},
     1,
     0},
    {COLL_REDUCE, TOPO_OP_REDUCE, GRAPH_MATCH_TO_ROOT, 1, {1, 1}, {1, 0}, 1, 0},
    {COLL_ALLGATHER,
     TOPO_OP_ALLGATHER,
     GRAPH_MATCH_ALL,
     2,
     {1, RANKS},
     {1, RANKS},
     RANKS,
     0},
    {COLL_REDUCESCATTER,
     TOPO_OP_REDUCESCATTER,
     GRAPH_MATCH_ALL,
     3,
     {RANKS, 1},
     {RANKS, 1},
     RANKS,
     0},
    {COLL_ALLTOALL,
     TOPO_OP_ALLTOALL,
     GRAPH_MATCH_ALL,
     8,
     {RANKS, RANKS},
     {RANKS, RANKS},
     RANKS,
     1},
    {COLL_GATHER,
     TOPO_OP_GATHER,
     GRAPH_MATCH_TO_ROOT,
     10,
     {1, RANKS},
     {1, 0},
     RANKS,
     1},
    {COLL_SCATTER,
     TOPO_OP_SCATTER,
     GRAPH_MATCH_FROM_ROOT,
     9,
     {RANKS, 1},
     {0, 1},
     RANKS,
     1},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static struct nccl_call call_of(struct ncclComm *comm, enum coll_kind kind)
{
    comm->nranks = RANKS;
    return (struct nccl_call){.comm = comm,
                              .coll = kind,
                              .count = COUNT,
                              .type = ncclHalf,
                              .root = ROOT};
}

START_TEST(a_collective_has_the_sizes_of_its_kind)
{
    struct ncclComm comm = {0};
    const struct nccl_call c = call_of(&comm, kinds[_i].kind);
    ck_assert_int_eq(coll_op(&c), kinds[_i].op);
    ck_assert_int_eq(coll_func(&c), kinds[_i].func);
    ck_assert_int_eq(coll_is_messages(&c), kinds[_i].is_messages);
    ck_assert_uint_eq(coll_nbytes(&c), (size_t)kinds[_i].size * BLOCK);
    for (comm.rank = 0; comm.rank < RANKS; comm.rank++) {
        const int *const is =
            comm.rank == ROOT ? kinds[_i].root : kinds[_i].any;
        size_t sent = 99, received = 99;
        coll_sizes(&c, &sent, &received);
        ck_assert_uint_eq(sent, (size_t)is[0] * BLOCK);
        ck_assert_uint_eq(received, (size_t)is[1] * BLOCK);
    }
}
END_TEST

START_TEST(a_node_says_whom_it_matches)
{
    struct ncclComm comm = {.rank = 2};
    struct graph_node n = {0}, next = {0};
    const struct nccl_call c = call_of(&comm, kinds[_i].kind);
    coll_fill_node(&c, 6, &n);
    coll_fill_node(&c, 7, &next);
    ck_assert_int_eq(n.op, kinds[_i].op);
    ck_assert_int_eq(n.match_kind, kinds[_i].match);
    ck_assert_uint_ne(n.match, next.match);
    ck_assert_uint_eq(n.match_size, RANKS);
    ck_assert_uint_eq(n.match_rank, 2);
    ck_assert_uint_eq(n.match_root, ROOT);
    ck_assert_uint_eq(n.bytes, (size_t)kinds[_i].size * BLOCK);
}
END_TEST

START_TEST(messages_go_to_the_root_or_come_from_it)
{
    struct ncclComm comm = {0};
    const struct nccl_call all = call_of(&comm, COLL_ALLTOALL);
    const struct nccl_call gather = call_of(&comm, COLL_GATHER);
    const struct nccl_call scatter = call_of(&comm, COLL_SCATTER);
    for (int i = 0; i < RANKS * RANKS; i++) {
        const int peer = i % RANKS;
        comm.rank = i / RANKS;
        ck_assert_int_eq(coll_sends(&all, peer), 1);
        ck_assert_int_eq(coll_receives(&all, peer), 1);
        ck_assert_int_eq(coll_sends(&gather, peer), peer == ROOT);
        ck_assert_int_eq(coll_receives(&gather, peer), comm.rank == ROOT);
        ck_assert_int_eq(coll_sends(&scatter, peer), comm.rank == ROOT);
        ck_assert_int_eq(coll_receives(&scatter, peer), peer == ROOT);
    }
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("coll");
    TCase *const t = tcase_create("coll");
    tcase_add_loop_test(t, a_collective_has_the_sizes_of_its_kind, 0, KINDS);
    tcase_add_loop_test(t, a_node_says_whom_it_matches, 0, KINDS);
    tcase_add_test(t, messages_go_to_the_root_or_come_from_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
