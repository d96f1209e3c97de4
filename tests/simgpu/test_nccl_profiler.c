/*
 * Profiler plugins: a plugin that is built as an outsider builds it hears of
 * prog_nccl_profiled's calls, in each version of NCCL's interface; and what is
 * wrong with a plugin is said, and ends nothing.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "suite.h"

/* Build the plugin in a new folder, as lib*, and run the program on 2 ranks;
 * rank 1's lines are kept. */
static struct child run_with(const char *flags, const char *file,
                             const char *environment)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "profiler");
    struct child c = child_run(
        120,
        "cc -fPIC -shared %s -o %s/%s tests/simgpu/plugin_profiler.c && "
        "F=%s && LD_LIBRARY_PATH=%s/simgpu/lib:$F SIMGPU_TOPO=dgx-h100 %s "
        "mpirun -n 2 %s/tests/simgpu/prog_nccl_profiled",
        flags, folder, file, folder, child_build(), environment, child_build());
    child_remove(folder);
    ck_assert_msg(!c.timed_out && c.status == 0 && !strstr(c.out, "FAILED"),
                  "%s %s: status %d\n%s\n%s", flags, environment, c.status,
                  c.out, c.err);
    return c;
}

/* Rank 1's lines, without those of kernel channels, which a worker writes. */
static void keep(const char *out, char *lines, size_t nbytes)
{
    size_t at = 0;
    for (const char *l = out; *l; l += strcspn(l, "\n"), l += *l == '\n') {
        const int length = (int)strcspn(l, "\n");
        const char *const channel = strstr(l, "kernel-channel");
        if (strncmp(l, "1: ", 3) == 0 && (!channel || channel > l + length) &&
            at < nbytes)
            at +=
                (size_t)snprintf(lines + at, nbytes - at, "%.*s\n", length, l);
    }
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *w = strstr(text, word); w; w = strstr(w + 1, word))
        n++;
    return n;
}

/* ---- what each version hears --------------------------------------------- */

#define TASKS                                                                  \
    "1: AllReduce coll in group: 262144 ncclFloat32, root 0, RING LL, 12 "     \
    "channels, number 0%1$s\n"                                                 \
    "1: group\n"                                                               \
    "1: Broadcast coll in group: 524288 ncclInt8, root 1, RING LL, 12 "        \
    "channels, number 0%1$s\n"                                                 \
    "1: Recv p2p in group: 262144 ncclFloat32, peer 0\n"                       \
    "1: Send p2p in group: 262144 ncclFloat32, peer 0\n"                       \
    "1: group\n"                                                               \
    "1: Send p2p in group: 262144 ncclInt32, peer 0\n"                         \
    "1: Recv p2p in group: 262144 ncclInt32, peer 0\n"                         \
    "1: Send p2p in group: 262144 ncclInt32, peer 1\n"                         \
    "1: Recv p2p in group: 262144 ncclInt32, peer 1\n"                         \
    "1: group\n"                                                               \
    "1: Reduce coll in group: 262144 ncclFloat32, root 0, RING LL, 12 "        \
    "channels, number 0%1$s\n"                                                 \
    "1: group\n"                                                               \
    "1: Reduce coll in group: 262144 ncclFloat32, root 0, RING LL, 12 "        \
    "channels, number 1%1$s\n"                                                 \
    "1: group\n"                                                               \
    "1: finalize, 0 open\n"
#define INIT "1: init profiled, rank 1 of 2 on 1 nodes\n"

#define NEW                                                                    \
    INIT "1: AllReduce coll-api in group-api: 262144 ncclFloat32, root 0\n"    \
         "1: kernel-launch in group-api\n"                                     \
         "1: AllReduce coll in AllReduce coll-api: 262144 ncclFloat32, root "  \
         "0, "                                                                 \
         "RING LL, 12 channels, number 0\n"                                    \
         "1: group\n"                                                          \
         "1: group-api: depth 1 states 2324\n"                                 \
         "1: Send p2p-api in group-api: 262144 ncclFloat32\n"                  \
         "1: Recv p2p-api in group-api: 262144 ncclFloat32\n"                  \
         "1: Broadcast coll-api in group-api: 262144 ncclFloat16, root 1\n"    \
         "1: kernel-launch in group-api\n"                                     \
         "1: Broadcast coll in Broadcast coll-api: 524288 ncclInt8, root 1, "  \
         "RING "                                                               \
         "LL, 12 channels, number 0\n"                                         \
         "1: Recv p2p in Recv p2p-api: 262144 ncclFloat32, peer 0\n"           \
         "1: Send p2p in Send p2p-api: 262144 ncclFloat32, peer 0\n"           \
         "1: group\n"                                                          \
         "1: group-api: depth 2 states 2324\n"                                 \
         "1: Send p2p-api in group-api: 262144 ncclInt32\n"                    \
         "1: Recv p2p-api in group-api: 262144 ncclInt32\n"                    \
         "1: kernel-launch in group-api\n"                                     \
         "1: Send p2p in Send p2p-api: 262144 ncclInt32, peer 0\n"             \
         "1: Recv p2p in Recv p2p-api: 262144 ncclInt32, peer 0\n"             \
         "1: Send p2p in Send p2p-api: 262144 ncclInt32, peer 1\n"             \
         "1: Recv p2p in Recv p2p-api: 262144 ncclInt32, peer 1\n"             \
         "1: group\n"                                                          \
         "1: group-api: depth 1 states 2324\n"                                 \
         "1: Reduce coll-api in group-api: 262144 ncclFloat32, root 0, "       \
         "captured\n"                                                          \
         "1: group-api: depth 1, captured states 2324\n"                       \
         "1: kernel-launch in group-api\n"                                     \
         "1: Reduce coll in Reduce coll-api: 262144 ncclFloat32, root 0, "     \
         "RING LL, "                                                           \
         "12 channels, number 0\n"                                             \
         "1: group\n"                                                          \
         "1: kernel-launch in group-api\n"                                     \
         "1: Reduce coll in Reduce coll-api: 262144 ncclFloat32, root 0, "     \
         "RING LL, "                                                           \
         "12 channels, number 1\n"                                             \
         "1: group\n"                                                          \
         "1: finalize, 0 open\n"

static const struct {
    int version, mask;
    const char *init, *tasks, *communicator; /* tasks NULL: see `lines` */
    const char *lines;
    int nchannels; /* events of kernel channels of both ranks; 17.9 us with */
    const char *channel;
} versions[] = {
    {1, 4095, "", NULL, "",
     "1: 4 coll in group: 262144 of 7, op 2, algo 1 proto 0, 12 channels, "
     "1048576 bytes, number 0 of profiled\n1: group\n"
     "1: 0 coll in group: 524288 of 0, op 0, algo 1 proto 0, 12 channels, "
     "524288 bytes, number 0 of profiled\n"
     "1: 7 p2p in group: 262144 of 7, peer 0\n"
     "1: 6 p2p in group: 262144 of 7, peer 0\n1: group\n"
     "1: 6 p2p in group: 262144 of 2, peer 0\n"
     "1: 7 p2p in group: 262144 of 2, peer 0\n"
     "1: 6 p2p in group: 262144 of 2, peer 1\n"
     "1: 7 p2p in group: 262144 of 2, peer 1\n1: group\n"
     "1: 1 coll in group: 262144 of 7, op 0, algo 1 proto 0, 12 channels, "
     "1048576 bytes, number 0 of profiled\n1: group\n"
     "1: 1 coll in group: 262144 of 7, op 0, algo 1 proto 0, 12 channels, "
     "1048576 bytes, number 1 of profiled\n1: group\n1: finalize, 0 open\n",
     0, ""},
    {2, 4095, "", TASKS, " of profiled", NULL, 0, ""},
    {3, 4095, "", TASKS, " of profiled", NULL, 2 * (4 * 12 + 6),
     "11 kernel-channel in AllReduce coll: 0 ns\n"},
    {4, 4095, INIT, TASKS, "", NULL, 2 * (4 * 12 + 6),
     "11 kernel-channel in AllReduce coll: 17897 ns states 22\n"},
    {5, 4095, "", NULL, "", NEW, 2 * (4 * 12 + 6),
     "11 kernel-channel in AllReduce coll: 17897 ns states 22\n"},
    {6, 4095, "", NULL, "", NEW, 2 * (4 * 12 + 6),
     "11 kernel-channel in AllReduce coll: 17897 ns states 22\n"},
    // a mask of nothing; a group is raised for the sake of its tasks alone
    {4, 0, INIT, NULL, "", INIT "1: finalize, 0 open\n", 0, ""},
};

START_TEST(a_plugin_hears_of_each_call)
{
    char flags[32], environment[128], lines[8192] = "", expected[8192];
    snprintf(flags, sizeof flags, "-DVERSION=%d", versions[_i].version);
    snprintf(environment, sizeof environment,
             "NCCL_PROFILER_PLUGIN=check NCCL_PROFILE_EVENT_MASK=%d",
             versions[_i].mask);
    struct child c = run_with(flags, "libnccl-profiler-check.so", environment);
    keep(c.out, lines, sizeof lines);
    int n = snprintf(expected, sizeof expected, "%s", versions[_i].init);
    if (versions[_i].tasks)
        snprintf(expected + n, sizeof expected - (size_t)n, TASKS,
                 versions[_i].communicator);
    else
        snprintf(expected, sizeof expected, "%s", versions[_i].lines);
    ck_assert_str_eq(lines, expected);
    ck_assert_int_eq(count(c.out, " kernel-channel in "),
                     versions[_i].nchannels);
    ck_assert_msg(strstr(c.out, versions[_i].channel) != NULL, "%s", c.out);
    ck_assert_int_eq(count(c.out, "closed\n"), 2);
    ck_assert_ptr_null(strstr(c.err, "NCCL_PROFILE"));
    child_clear(&c);
}
END_TEST

/* ---- finding it ---------------------------------------------------------- */

static const struct {
    const char *flags, *file, *environment;
    const char *says, *not ;
} places[] = {
    {"-DVERSION=4", "libnccl-profiler.so", "", "1: init profiled", "Continue"},
    {"-DVERSION=4", "libnccl-profiler.so", "NCCL_PROFILER_PLUGIN=NONE", "",
     "init profiled"},
    {"-DVERSION=4", "libother.so", "NCCL_PROFILER_PLUGIN=libother.so",
     "1: init profiled", "Continue"},
    {"-DVERSION=4", "x.so", "NCCL_PROFILER_PLUGIN=$F/x.so",
     "PROFILER/Plugin: Loaded Check (v4)", "Continue"},
    {"-DVERSION=4", "x.so", "NCCL_PROFILER_PLUGIN=$F/x.so",
     "PROFILER/Plugin: Closing profiler plugin Check", "Continue"},
    {"-DVERSION=5", "x.so", "NCCL_PROFILER_PLUGIN=$F/x.so",
     "NCCL INFO the plugin's own line 1", "Continue"},
    {"-DVERSION=4", "x.so", "", "", "init profiled"},
    {"-DVERSION=4", "x.so", "NCCL_PROFILER_PLUGIN=$F/y.so",
     "/y.so: cannot open shared object file: No such file", "init profiled"},
    {"-DVERSION=4", "x.so", "NCCL_PROFILER_PLUGIN=mine",
     "libnccl-profiler-mine.so: cannot open shared object file",
     "init profiled"},
    {"-DVERSION=4 -DNO_SYMBOL", "x.so", "NCCL_PROFILER_PLUGIN=$F/x.so",
     "x.so has no symbol ncclProfiler_v6 to ncclProfiler_v1", "init profiled"},
    {"-DVERSION=5", "x.so", "PLUGIN_REFUSES=1 NCCL_PROFILER_PLUGIN=$F/x.so",
     "init of Check failed with error 3. Continue", "finalize"},
};

START_TEST(a_plugin_is_found_or_missed_by_name)
{
    char environment[256];
    snprintf(environment, sizeof environment, "NCCL_DEBUG=INFO %s",
             places[_i].environment);
    struct child c = run_with(places[_i].flags, places[_i].file, environment);
    ck_assert_msg(strstr(c.out, places[_i].says) &&
                      !strstr(c.out, places[_i].not ),
                  "%s: '%s', not '%s', in\n%s", places[_i].environment,
                  places[_i].says, places[_i].not, c.out);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("profiler plugins of NCCL");
    TCase *const t = tcase_create("plugins");
    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, a_plugin_hears_of_each_call, 0,
                        sizeof versions / sizeof *versions);
    tcase_add_loop_test(t, a_plugin_is_found_or_missed_by_name, 0,
                        sizeof places / sizeof *places);
    suite_add_tcase(s, t);
    return suite_run(s);
}
