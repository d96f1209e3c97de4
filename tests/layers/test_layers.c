/*
 * The kit's modules use each other only as layers.txt allows, and a violation
 * is reported: a planted call, a planted #include, a wrong line of the table, a
 * function that no other file uses.
 */
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */
#include <unistd.h> /* getpid */

#include "child.h"
#include "suite.h"

static char folder[CHILD_FOLDER];
static char facts[CHILD_FOLDER]; /* of the tree: they are the same for all */

static void make_folder(void)
{
    child_folder(folder, "layers");
}

static void remove_folder(void)
{
    child_remove(folder);
}

/* The script, with those facts. */
static const char *layers(void)
{
    static char command[2 * CHILD_FOLDER + 4200];
    snprintf(command, sizeof command,
             "tests/layers/layers.sh %s --facts %s/tree", child_build(), facts);
    return command;
}

static void expect(const struct child *c, const char *says)
{
    ck_assert_int_eq(c->status, 1);
    ck_assert_msg(strstr(c->out, says), "expected \"%s\":\n%s%s", says, c->out,
                  c->err);
}

START_TEST(modules_use_each_other_as_the_table_says)
{
    struct child c = child_run(100, "tests/layers/layers.sh %s", child_build());
    ck_assert_msg(c.status == 0, "%s%s", c.out, c.err);
    child_clear(&c);
}
END_TEST

/* An object at this path that calls this function. */
static const struct {
    const char *path, *calls, *says;
} objects[] = {
    {"common/base/planted", "graph_load",
     "base -> graph/replay is not allowed"},
    {"common/topo/planted", "ncclAllReduce", "topo -> nccl is not allowed"},
    {"common/topo/planted", "MPI_Barrier", "topo -> mpi is not allowed"},
    {"common/graph/record/planted", "cudaMalloc",
     "graph/record -> cuda is not allowed"},
    {"common/graph/replay/planted", "judge_fail",
     "graph/replay -> judge is not allowed"},
    {"common/lab/planted", "simgpu_proc", "lab -> simgpu/core is not allowed"},
    {"solutions/lab1-collectives/planted", "simgpu_proc",
     "lab1 -> simgpu/core is not allowed"},
    {"labs/lab1-collectives/planted", "judge_lab2",
     "lab1 -> judge-of-lab2 is not allowed"},
    {"common/staff/lab2-gradient-sync/planted", "allreduce_ring",
     "lab2 -> lab1 is not allowed"},
    {"common/staff/lab1-collectives/judge_planted", "allreduce_ring",
     "judge-of-lab1 -> lab1 is not allowed"},
    {"grader/run/planted", "allreduce_ring",
     "grader/run -> lab1 is not allowed"},
    {"common/elsewhere/planted", "exit",
     "common/elsewhere/planted.o belongs to no module"},
    {"common/simgpu/core/heap/planted", "exit",
     "common/simgpu/core/heap/planted.o is in no layer of its folder"},
    // a circle: streams use the heap
    {"common/simgpu/core/heap/heap", "stream_tails",
     "common/simgpu/core/heap/heap is below "
     "common/simgpu/core/stream/stream, and uses its stream_tails"},
};

START_TEST(a_planted_call_is_found)
{
    const char *const path = objects[_i].path, *const calls = objects[_i].calls;
    struct child c =
        child_run(100,
                  "echo 'void %s(void); void planted(void) { %s(); }' |"
                  "    gcc -w -x c -c - -o %s/planted.o &&"
                  "%s %s.o=%s/planted.o",
                  calls, calls, folder, layers(), path, folder);
    expect(&c, objects[_i].says);
    child_clear(&c);
}
END_TEST

/* A name that no source has: the files of this folder are read, too. */
START_TEST(a_planted_function_that_nobody_uses_is_found)
{
    char says[80];
    struct child c = child_run(
        100,
        "echo 'void unused_%d(void) {}' | gcc -w -x c -c - -o %s/planted.o &&"
        "%s common/base/planted.o=%s/planted.o",
        (int)getpid(), folder, layers(), folder);
    snprintf(says, sizeof says,
             "no file uses unused_%d but the one that defines it, "
             "common/base/planted",
             (int)getpid());
    expect(&c, says);
    child_clear(&c);
}
END_TEST

static const struct {
    const char *path, *includes, *says;
} sources[] = {
    {"common/topo/planted.h", "\"graph/record/record.h\"",
     "topo -> graph/record is not allowed: common/topo/planted.h includes"},
    {"common/graph/draw/planted.h", "<nccl.h>",
     "graph/draw -> nccl is not allowed"},
    {"common/graph/record/planted.h", "<mpi.h>",
     "graph/record -> mpi is not allowed"},
    {"grader/run/planted.h", "\"core/proc.h\"",
     "grader/run -> simgpu/core is not allowed"},
    {"common/planted.h", "<stdio.h>", "common/planted.h belongs to no module"},
    {"common/simgpu/core/planted.h", "<stdio.h>",
     "common/simgpu/core/planted.h is in no layer of its folder"},
    {"common/simgpu/core/heap/heap.h", "\"core/stream/stream.h\"",
     "common/simgpu/core/heap/heap.h is below "
     "common/simgpu/core/stream/stream.h, and includes it"},
};

START_TEST(a_planted_include_is_found)
{
    struct child c = child_run(100,
                               "echo '#include %s' > %s/planted &&"
                               "%s %s=%s/planted",
                               sources[_i].includes, folder, layers(),
                               sources[_i].path, folder);
    expect(&c, sources[_i].says);
    child_clear(&c);
}
END_TEST

/* The table, edited. */
static const struct {
    const char *edit, *says;
} tables[] = {
    {"s/^uses graph.record base topo/uses graph\\/record topo/",
     "graph/record -> base is not allowed"},
    {"$a uses topo judge", "topo -> judge is allowed and not used"},
    {"$a uses topo ghost", "uses topo ghost: not two modules"},
    {"$a uses base topo", "a cycle: base uses topo, which leads back"},
    {"$a uses judge grader/run",
     "a cycle: judge uses grader/run, which leads back"},
    {"$a module ghost common/ghost/*",
     "no file matches common/ghost/* of module ghost"},
    {"$a symbols topo ghost_*", "nothing uses symbols ghost_* of topo"},
    {"s/^program grade grader.verbs/program grade/", "grade must not hold"},
    {"$a program commgraph judge",
     "program commgraph judge: it holds nothing of it"},
    {"/^layer common.simgpu.core. report$/d",
     "common/simgpu/core/report.c is in no layer of its folder"},
    {"/^layer common.simgpu.core. thread$/d;"
     "$a layer common/simgpu/core/ thread",
     "common/simgpu/core/wait is below common/simgpu/core/thread, and uses its "
     "thread_or_worker"},
    {"/^layer common.simgpu.core. thread$/d;"
     "$a layer common/simgpu/core/ thread",
     "common/simgpu/core/wait.c is below common/simgpu/core/thread.h, and "
     "includes it"},
    {"/^layer common.simgpu.core. thread$/{N;s/\\nlayer [^ ]*//}",
     "common/simgpu/core/wait.c is in one layer with "
     "common/simgpu/core/thread.h, and includes it"},
    {"s/^layer\\( common.simgpu.core. report\\)$/circle\\1/",
     "circle: common/simgpu/core/report isn't in it"},
    {"$a layer common/simgpu/core/ ghost",
     "no file matches layer common/simgpu/core/ghost"},
    {"$a upward common/simgpu/core/ thread wait",
     "upward common/simgpu/core/thread common/simgpu/core/wait: nothing uses"},
    {"$a unbuilt common/topo/*", "unbuilt common/topo/*: it is built"},
    {"s/^unbuilt.*//", "common/cuda/nccl_older.c has not been compiled"},
    {"$a usse topo base", "starts with \"usse\""},
    {"$a outside ghost_*", "outside ghost_*: nothing defines it"},
    {"/^outside __tsan/d", "no file uses __tsan_"},
    {"$a libc ghost", "libc ghost: nothing uses it"},
    {"/^libc/d", "topo -> simgpu/device is not allowed"},
};

START_TEST(a_wrong_table_is_found)
{
    struct child c = child_run(100,
                               "sed '%s' tests/layers/layers.txt > %s/table &&"
                               "%s --table %s/table",
                               tables[_i].edit, folder, layers(), folder);
    expect(&c, tables[_i].says);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("layers");
    TCase *const t = tcase_create("layers");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, modules_use_each_other_as_the_table_says);
    tcase_add_loop_test(t, a_planted_call_is_found, 0,
                        sizeof objects / sizeof *objects);
    tcase_add_test(t, a_planted_function_that_nobody_uses_is_found);
    tcase_add_loop_test(t, a_planted_include_is_found, 0,
                        sizeof sources / sizeof *sources);
    tcase_add_loop_test(t, a_wrong_table_is_found, 0,
                        sizeof tables / sizeof *tables);
    suite_add_tcase(s, t);
    child_folder(facts, "layers");
    const int status = suite_run(s);
    child_remove(facts);
    return status;
}
