/*
 * Profiler plugins: a plugin that is built as an outsider builds it hears of
 * the calls of prog_nccl32_profiled, in each version of NCCL's interface; and
 * what is wrong with a plugin is said, and ends nothing.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "golden.h"
#include "suite.h"

/* Build the plugin in a new folder, as lib*, and run the program; its output
 * goes through a filter. */
static struct child run_with(const char *flags, const char *file,
                             const char *environment, int nranks,
                             const char *argument, const char *filter)
{
    char folder[CHILD_FOLDER];
    child_folder(folder, "profiler");
    struct child c = child_run(
        120,
        "cc -fPIC -shared %s -o %s/%s tests/extras/plugin_profiler.c && "
        "F=%s && LD_LIBRARY_PATH=%s/simgpu/lib:$F SIMGPU_TOPO=dgx-h100 %s "
        "mpirun -n %d %s/tests/extras/prog_nccl32_profiled%s > %s/out && "
        "%s %s/out",
        flags, folder, file, folder, child_build(), environment, nranks,
        child_build(), argument, folder, filter, folder);
    child_remove(folder);
    ck_assert_msg(!c.timed_out && c.status == 0 && !strstr(c.out, "FAILED"),
                  "%s %s: status %d\n%s\n%s", flags, environment, c.status,
                  c.out, c.err);
    return c;
}

/* ---- what each version hears --------------------------------------------- */

#define GOLDEN "tests/extras/nccl_profiler.txt"

/* A mask of types of events (plugin_profiler.c); other settings. */
static const struct {
    int version, mask, nranks;
    const char *environment, *argument;
} hears[] = {
    {1, 4095, 2, "", ""},
    {2, 4095, 2, "", ""},
    {3, 4095, 2, "", ""},
    {4, 4095, 2, "", ""},
    {5, 4095, 2, "", ""},
    {6, 4095, 2, " NCCL_PROTO=LL128", " short"},
    {4, 0, 2, "", ""},
    {5, 1, 2, "", " short"},
    {5, 2, 2, "", ""},
    {5, 4, 2, "", ""},
    {5, 64, 2, "", " short"},
    {5, 256, 2, "", " short"},
    {5, 512, 2, "", ""},
    {5, 1024, 2, "", ""},
    {5, 2048, 2, "", " short"},
    {1, 2, 2, " NCCL_ALGO=TREE NCCL_PROTO=SIMPLE", " short"},
    {1, 2, 4, " NCCL_ALGO=NVLS", " short"},
    {4, 2, 5, " SIMGPU_TOPO=2x:gh200@ndr", " short"},
};

START_TEST(a_plugin_hears_of_each_call)
{
    char flags[32], environment[256], part[256];
    snprintf(flags, sizeof flags, "-DVERSION=%d", hears[_i].version);
    snprintf(environment, sizeof environment,
             "NCCL_PROFILER_PLUGIN=check NCCL_PROFILE_EVENT_MASK=%d%s",
             hears[_i].mask, hears[_i].environment);
    snprintf(part, sizeof part, "version %d, mask %d%s%s", hears[_i].version,
             hears[_i].mask, hears[_i].environment, hears[_i].argument);
    struct child c = run_with(flags, "libnccl-profiler-check.so", environment,
                              hears[_i].nranks, hears[_i].argument,
                              "awk -f tests/extras/nccl_profiler.awk");
    golden_expect_part(GOLDEN, part, c.out);
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
    struct child c =
        run_with(places[_i].flags, places[_i].file, environment, 2, "", "cat");
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
                        sizeof hears / sizeof *hears);
    tcase_add_loop_test(t, a_plugin_is_found_or_missed_by_name, 0,
                        sizeof places / sizeof *places);
    suite_add_tcase(s, t);
    return suite_run(s);
}
