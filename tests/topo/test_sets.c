/*
 * NCCL_ALGO and NCCL_PROTO are read as NCCL reads them.
 */
#include <check.h>
#include <string.h>

#include "suite.h"
#include "topo/topo.h"

START_TEST(lists_of_names_are_sets)
{
    ck_assert_int_eq(topo_algo_set(NULL), TOPO_ANY);
    ck_assert_int_eq(topo_algo_set(""), TOPO_ANY);
    ck_assert_int_eq(topo_algo_set("RING"), 1 << TOPO_RING);
    ck_assert_int_eq(topo_algo_set("tree,NVLSTree"),
                     1 << TOPO_TREE | 1 << TOPO_NVLSTREE);
    ck_assert_int_eq(topo_algo_set("^RING") & 1 << TOPO_RING, 0);
    ck_assert_int_ne(topo_algo_set("^RING") & 1 << TOPO_TREE, 0);
    ck_assert_int_eq(topo_algo_set("RINGS"), 0);
    ck_assert_int_eq(topo_algo_set("RING,"), 0);
    ck_assert_int_eq(topo_algo_set("P2P"), 0);
    ck_assert_int_eq(topo_proto_set("Simple,LL128"),
                     1 << TOPO_SIMPLE | 1 << TOPO_LL128);
    ck_assert_int_eq(topo_proto_set("LL1"), 0);
}
END_TEST

enum { RING = 1 << TOPO_RING, TREE = 1 << TOPO_TREE };

/* Values of NCCL_ALGO, and what all-reduce and all-gather may then use. */
static const struct {
    const char *words;
    int allreduce, allgather;
} settings[] = {
    {NULL, TOPO_ANY, TOPO_ANY},
    {"", TOPO_ANY, TOPO_ANY},
    {"ring", RING, RING},
    {"Ring,", RING, RING},
    {"allreduce:ring;allgather:tree", RING, TREE},
    {"ring,tree;allreduce:TREE", TREE, RING | TREE},
    {"AllGather:Ring", TOPO_ANY, RING},
    {"ring;allreduce:tree;allreduce:ring,tree;", RING | TREE, RING},
    {"^tree,nvls,nvlstree,pat,collnetdirect,collnetchain", RING, RING},
    {"^collnetdirect,nvls,nvlstree,pat,ring", TREE | 1 << TOPO_COLLNET,
     TREE | 1 << TOPO_COLLNET},
    {"ring;allgather:^collnetdirect,collnetchain,nvls,nvlstree,pat", RING,
     RING | TREE},
};

START_TEST(an_entry_of_nccl_algo_is_for_one_collective)
{
    char err[400] = "";
    struct topo_sets s;
    ck_assert_msg(topo_algo_sets(settings[_i].words, &s, err, sizeof err) == 0,
                  "%s", err);
    ck_assert_int_eq(s.of[TOPO_OP_ALLREDUCE], settings[_i].allreduce);
    ck_assert_int_eq(s.of[TOPO_OP_ALLGATHER], settings[_i].allgather);
    // NCCL sends messages for an all-to-all, whatever the setting
    ck_assert_int_eq(s.of[TOPO_OP_ALLTOALL], TOPO_ANY);
}
END_TEST

static const struct {
    const char *words, *says;
} refused[] = {
    {"rign", "Unrecognized element token \"rign\" when parsing \"rign\": use "
             "Tree, Ring, CollNetDirect, CollNetChain, NVLS, NVLSTree or PAT"},
    {"ring,COLLNET", "Unrecognized element token \"COLLNET\""},
    {"P2P", "Unrecognized element token \"P2P\""},
    {"allreduce:", "Unrecognized element token \"allreduce\""},
    {"all_reduce:ring",
     "Unrecognized prefix token \"all_reduce\" when parsing "
     "\"all_reduce:ring\": use Broadcast, Reduce, AllGather, ReduceScatter or "
     "AllReduce"},
    {"ring;tree",
     "All entries except the first must have a prefix: \"ring;tree\""},
    {"allreduce:ring;allgather:rings", "Unrecognized element token \"rings\""},
    {",", "\",\" leaves nothing to choose"},
};

START_TEST(a_value_that_nccl_refuses_is_named)
{
    char err[400] = "";
    struct topo_sets s;
    ck_assert_int_eq(topo_algo_sets(refused[_i].words, &s, err, sizeof err),
                     -1);
    ck_assert_msg(strstr(err, refused[_i].says) == err, "%s", err);
}
END_TEST

START_TEST(nccl_proto_is_read_alike)
{
    char err[400] = "";
    struct topo_sets s;
    ck_assert_int_eq(
        topo_proto_sets("LL,Simple;allreduce:^LL", &s, err, sizeof err), 0);
    ck_assert_int_eq(s.of[TOPO_OP_ALLREDUCE],
                     1 << TOPO_LL128 | 1 << TOPO_SIMPLE);
    ck_assert_int_eq(s.of[TOPO_OP_BROADCAST], 1 << TOPO_LL | 1 << TOPO_SIMPLE);
    ck_assert_int_eq(topo_proto_sets("reduce:ring", &s, err, sizeof err), -1);
    ck_assert_str_eq(err, "Unrecognized element token \"ring\" when parsing "
                          "\"reduce:ring\": use LL, LL128 or Simple");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("sets");
    TCase *const t = tcase_create("sets");
    tcase_add_test(t, lists_of_names_are_sets);
    SUITE_LOOP(t, an_entry_of_nccl_algo_is_for_one_collective, settings);
    SUITE_LOOP(t, a_value_that_nccl_refuses_is_named, refused);
    tcase_add_test(t, nccl_proto_is_read_alike);
    suite_add_tcase(s, t);
    return suite_run(s);
}
