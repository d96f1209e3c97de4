/*
 * What a submission is compiled for and with: the backend, its toolchain, and
 * the kit's files that it is given. The kit here is a made-up one.
 */
#define _GNU_SOURCE
#include <check.h>
#include <fcntl.h>  /* open */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcpy */
#include <unistd.h> /* access */

#include "child.h"
#include "grader/build/staff.h"
#include "grader/job/backend.h"
#include "suite.h"

static char dir[256];
static struct machine m;
static char err[512];

static void make_folder(void)
{
    char made[CHILD_FOLDER];
    child_folder(made, "machine");
    ck_assert_uint_lt(strlen(made), sizeof dir);
    strcpy(dir, made);
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* A shell command in the folder. */
static void shell(const char *command)
{
    struct child c = child_run(30, "cd %s && %s", dir, command);
    ck_assert_msg(c.status == 0, "%s: %s", command, c.err);
    child_clear(&c);
}

/* What a command prints there. */
static void prints(const char *command, const char *want)
{
    struct child c = child_run(30, "cd %s && %s", dir, command);
    ck_assert_str_eq(c.out, want);
    child_clear(&c);
}

/* An error's text, with the folder called DIR. */
static void said(const char *text, const char *want)
{
    const size_t n = strlen(dir);
    char *const all = strdup(text);
    for (char *at; (at = strstr(all, dir)) != NULL;) {
        memmove(at + 3, at + n, strlen(at + n) + 1);
        memcpy(at, "DIR", 3);
    }
    ck_assert_str_eq(all, want);
    free(all);
}

/* ---- backends ------------------------------------------------------------ */

#define BUILT(name, home) "printf '" name "\\n" home "\\n' > backend; "
#define TOOLS                                                                  \
    "mkdir sim cuda; printf 'cc=\"a b\"\\ncxx=\"c\"\\n' > sim/toolchain; "     \
    "printf 'cc=\"d\"\\n' > cuda/toolchain"

START_TEST(a_backend_has_a_name)
{
    ck_assert_str_eq(backend_find("sim")->name, "sim");
    ck_assert_str_eq(backend_find("cuda")->name, "cuda");
    ck_assert_ptr_null(backend_find("si"));
    ck_assert_ptr_null(backend_find(""));
}
END_TEST

static const struct {
    const char *make, *name;
    int measured;
    const char *is, *says;
    int is_measured, is_real;
    const char *home, *seen; /* home: behind the folder, or all of it */
} machines[] = {
    {BUILT("sim", "") TOOLS, NULL, 0, "sim", "", 0, 0, "/simgpu", "/simgpu"},
    {BUILT("sim", "") TOOLS, "sim", 1, "sim", "", 1, 0, "/simgpu", "/simgpu"},
    {BUILT("cuda", "/opt/c") TOOLS, NULL, 0, "cuda", "", 1, 1, "/opt/c",
     "/opt/c"},
    {BUILT("cuda", "/opt/c") TOOLS, "cuda", 1, "cuda", "", 1, 1, "/opt/c",
     "/opt/c"},
    {BUILT("cuda", "/opt/c") TOOLS, "sim", 0, "sim", "", 0, 0, "/simgpu",
     "/simgpu"},
    {BUILT("cuda", "/opt/c") TOOLS, "sim", 1, NULL,
     "DIR has programs for cuda, and what is measured needs them for sim: run "
     "make GPU=sim",
     0, 0, NULL, NULL},
    {BUILT("sim", "") TOOLS, "cuda", 0, NULL,
     "DIR has programs for sim, and what is measured needs them for cuda: run "
     "make GPU=cuda",
     0, 0, NULL, NULL},
    {TOOLS, NULL, 0, NULL, "DIR/backend is missing: run make", 0, 0, NULL,
     NULL},
    {TOOLS, "sim", 0, NULL, "DIR/backend is missing: run make", 0, 0, NULL,
     NULL},
    {"printf 'sim' > backend; " TOOLS, NULL, 0, NULL,
     "DIR/backend is missing: run make", 0, 0, NULL, NULL},
    {BUILT("hip", "") TOOLS, NULL, 0, NULL, "DIR/backend is missing: run make",
     0, 0, NULL, NULL},
    {BUILT("sim", "") TOOLS, "hip", 0, NULL, "DIR/backend is missing: run make",
     0, 0, NULL, NULL},
    {BUILT("sim", "") "true", NULL, 0, NULL,
     "DIR/sim/toolchain is missing: run make GPU=sim", 0, 0, NULL, NULL},
    {BUILT("sim", "") "mkdir sim; : > sim/toolchain", NULL, 0, NULL,
     "DIR/sim/toolchain is missing: run make GPU=sim", 0, 0, NULL, NULL},
    {BUILT("sim", "") "mkdir sim; head -c 4094 /dev/zero > sim/toolchain", NULL,
     0, NULL, "DIR/sim/toolchain is missing: run make GPU=sim", 0, 0, NULL,
     NULL},
    {BUILT("sim", "") "mkdir sim; head -c 4093 /dev/zero > sim/toolchain", NULL,
     0, "sim", "", 0, 0, "/simgpu", "/simgpu"},
};

START_TEST(a_machine_is_what_the_kit_was_built_for)
{
    char home[512];
    shell(machines[_i].make);
    memset(&m, 'x', sizeof m);
    err[0] = 0;
    const int failed = machine_find(&m, dir, machines[_i].name,
                                    machines[_i].measured, err, sizeof err);
    said(err, machines[_i].says);
    ck_assert_int_eq(failed, machines[_i].says[0] ? -1 : 0);
    if (failed)
        return;
    ck_assert_str_eq(m.backend->name, machines[_i].is);
    ck_assert_int_eq(m.measured, machines[_i].is_measured);
    ck_assert_int_eq(machine_is_real(&m), machines[_i].is_real);
    snprintf(home, sizeof home, "%s%s",
             strcmp(machines[_i].is, "sim") == 0 ? dir : "", machines[_i].home);
    ck_assert_str_eq(m.home, home);
    ck_assert_int_eq(m.toolchain[0], '\n');
    ck_assert_str_eq(m.seen, machines[_i].seen);
}
END_TEST

START_TEST(a_toolchain_has_variables)
{
    char value[BACKEND_TOOLCHAIN] = "before";
    strcpy(m.toolchain, "\ncc=\"a b\"\nxcc=\"c\"\nempty=\"\"\nlibs=\"-l m\"\n");
    machine_toolchain(&m, "cc", value);
    ck_assert_str_eq(value, "a b");
    machine_toolchain(&m, "libs", value);
    ck_assert_str_eq(value, "-l m");
    machine_toolchain(&m, "c", value);
    ck_assert_str_eq(value, "");
    machine_toolchain(&m, "xcc", value);
    ck_assert_str_eq(value, "c");
    machine_toolchain(&m, "empty", value);
    ck_assert_str_eq(value, "");
}
END_TEST

#define NONE "no GPU can be used here: %s (--backend sim needs none)"
static const struct {
    const char *prints; /* build/probe; NULL: there is none */
    int ngpus;
    const char *why;
} probes[] = {
    {"{\"devices\": [{}, {}]}", 2, NULL},
    {"{\"devices\": [{}], \"error\": \"x\"}", 1, NULL},
    {"{\"devices\": [], \"error\": \"no driver\"}", 0, "no driver"},
    {"{\"devices\": []}", 0, "none was found (make doctor says more)"},
    {"{}", 0, "none was found (make doctor says more)"},
    {"text", 0, "build/probe cannot be run (make builds it)"},
    {NULL, 0, "build/probe cannot be run (make builds it)"},
};

START_TEST(a_probe_counts_the_gpus)
{
    char command[256], want[256];
    snprintf(command, sizeof command,
             "printf '#!/bin/sh\\n[ \"$*\" = --json ] && echo '\\''%s'\\' > "
             "probe; chmod 755 probe",
             probes[_i].prints ? probes[_i].prints : "");
    if (probes[_i].prints)
        shell(command);
    memset(&m, 0, sizeof m);
    err[0] = 0;
    const int failed = machine_probe(&m, dir, err, sizeof err);
    ck_assert_int_eq(m.ngpus, probes[_i].ngpus);
    ck_assert_int_eq(failed, probes[_i].why ? -1 : 0);
    snprintf(want, sizeof want, NONE, probes[_i].why ? probes[_i].why : "");
    ck_assert_str_eq(err, probes[_i].why ? want : "");
    json_decref(m.gpus);
}
END_TEST

/* What nvidia-smi prints, for a program of that name. */
START_TEST(clocks_are_a_line_for_each_gpu)
{
    char path[2 * sizeof dir];
    shell("printf '#!/bin/sh\\necho 0, 1980 MHz\\necho 1, 345 MHz\\n' > "
          "nvidia-smi; chmod 755 nvidia-smi");
    snprintf(path, sizeof path, "%s:%s", dir, getenv("PATH"));
    setenv("PATH", path, 1);
    m.backend = backend_find("sim");
    ck_assert_ptr_null(machine_clocks(&m));
    m.backend = backend_find("cuda");
    json_t *const clocks = machine_clocks(&m);
    char *const text = json_dumps(clocks, 0);
    ck_assert_str_eq(text, "[\"0, 1980 MHz\", \"1, 345 MHz\"]");
    free(text);
    json_decref(clocks);
}
END_TEST

START_TEST(simgpu_is_shared_without_a_lock)
{
    m.backend = backend_find("sim");
    ck_assert_int_eq(machine_lock(&m), -1);
    machine_unlock(-1);
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    machine_unlock(fd);
    ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
}
END_TEST

/* ---- what a submission is given ------------------------------------------ */

static struct plan plan = {.file = {"a.c", "own.h"}, .nfiles = 2};
static struct place place;
static struct result result;

/* The kit's staff code of a lab: headers, sources, and what no one is given. */
#define KIT                                                                    \
    "mkdir -p kit/common/staff/lab1-x contracts work "                         \
    "build/sim/obj/common/staff/lab1-x build/sim/staff/lab1-x; "               \
    "cd kit/common/staff/lab1-x; echo j > judge.h; echo o > own.h; "           \
    "echo h > .hidden.h; "                                                     \
    "touch judge.c run.cu a.c README notes.txt a.b.c; cd $OLDPWD; "            \
    "cd build/sim/obj/common/staff/lab1-x; for i in judge run a a.b; do "      \
    "echo $i > $i.o; done; cd $OLDPWD; "                                       \
    "cd contracts; echo c > lab.h; echo o > own.h; touch a.c lab.c; "          \
    "cd $OLDPWD; cd build/sim; "                                               \
    "for i in staff/lab1-x/kit.o staff/lab1-x/kit.contract "                   \
    "staff/lab1-x/kit.api lib1.a obj/x.o; do echo $i > $i; done; "             \
    "mkdir sub obj/y; echo l2 > sub/lib2.a; echo z > obj/y/z.o; cd ../..;"

static void make_kit(const char *toolchain)
{
    shell(KIT);
    result_init(&result, 1);
    memset(&place, 0, sizeof place);
    place.plan = &plan;
    place.machine.backend = backend_find("sim");
    strcpy(place.lab, "lab1-x");
    strcpy(place.machine.toolchain, toolchain);
    snprintf(place.kit, sizeof place.kit, "%s/kit", dir);
    snprintf(place.build, sizeof place.build, "%s/build", dir);
    snprintf(place.contracts, sizeof place.contracts, "%s/contracts", dir);
    snprintf(place.work, sizeof place.work, "%s/work", dir);
}

static void refused(const char *why)
{
    ck_assert_int_eq(staff_give(&place, &result), -1);
    ck_assert_int_eq(result.outcome, OUTCOME_INFRA);
    said(result.message, why);
    result_release(&result);
}

/* Without a kit.o, which has them all, each object of the staff's is given. */
START_TEST(headers_and_objects_are_given_and_no_source)
{
    make_kit("\narchives=\"lib1.a sub/lib2.a\"\nobjects=\"x.o y/z.o\"\n"
             "api=\"kit.api\"\n");
    ck_assert_int_eq(staff_give(&place, &result), 0);
    ck_assert_str_eq(result.message, "");
    prints("LC_ALL=C ls -A work/staff | tr '\\n' ' '",
           "a.b.o judge.h judge.o kit.api lab.h lib1.a lib2.a run.o x.o "
           "z.o ");
    prints("cd work/staff; cat a.b.o judge.h judge.o kit.api lab.h lib1.a "
           "lib2.a run.o x.o z.o",
           "a.b\nj\njudge\nstaff/lab1-x/kit.api\nc\nlib1.a\nl2\nrun\nobj/x.o\n"
           "z\n");
    prints("stat -c %a work/staff", "755\n");
    result_release(&result);
}
END_TEST

START_TEST(the_kits_half_is_one_object)
{
    make_kit("\nkit=\"kit.o kit.contract\"\napi=\"kit.api\"\n");
    ck_assert_int_eq(staff_give(&place, &result), 0);
    prints("LC_ALL=C ls -A work/staff | tr '\\n' ' '",
           "judge.h kit.api kit.contract kit.o lab.h ");
    result_release(&result);
}
END_TEST

#define UNBUILT(file)                                                          \
    "the kit is not built: cannot copy DIR/" file " (run make)"
#define STAFF "build/sim/staff/lab1-x/"
static const struct {
    const char *toolchain, *damage, *says;
} damages[] = {
    {"\n", "rmdir work; : > work", "cannot make DIR/work/staff"},
    {"\n", "mkdir work/staff", "cannot make DIR/work/staff"},
    {"\n", "rm -r contracts", "cannot read DIR/contracts"},
    {"\n", "rm -r kit", "cannot read DIR/kit/common/staff/lab1-x"},
    {"\n", "rm build/sim/obj/common/staff/lab1-x/run.o",
     UNBUILT("build/sim/obj/common/staff/lab1-x/run.o")},
    {"\nkit=\"kit.o\"\n", "rm " STAFF "kit.o", UNBUILT(STAFF "kit.o")},
    {"\nkit=\"no kit.o\"\n", "true", UNBUILT(STAFF "no")},
    {"\nkit=\"k\"\n", "rm build/sim/obj/common/staff/lab1-x/run.o",
     UNBUILT(STAFF "k")},
    {"\napi=\"kit.api\"\n", "rm " STAFF "kit.api", UNBUILT(STAFF "kit.api")},
    {"\narchives=\"sub/lib2.a\"\n", "rm build/sim/sub/lib2.a",
     UNBUILT("build/sim/sub/lib2.a")},
    {"\nobjects=\"x.o\"\n", "rm build/sim/obj/x.o",
     UNBUILT("build/sim/obj/x.o")},
};

START_TEST(a_kit_that_lacks_a_file_is_not_built)
{
    make_kit(damages[_i].toolchain);
    shell(damages[_i].damage);
    refused(damages[_i].says);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("machine");
    TCase *const t = tcase_create("machine");
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, a_backend_has_a_name);
    SUITE_LOOP(t, a_machine_is_what_the_kit_was_built_for, machines);
    tcase_add_test(t, a_toolchain_has_variables);
    SUITE_LOOP(t, a_probe_counts_the_gpus, probes);
    tcase_add_test(t, clocks_are_a_line_for_each_gpu);
    tcase_add_test(t, simgpu_is_shared_without_a_lock);
    tcase_add_test(t, headers_and_objects_are_given_and_no_source);
    tcase_add_test(t, the_kits_half_is_one_object);
    SUITE_LOOP(t, a_kit_that_lacks_a_file_is_not_built, damages);
    suite_add_tcase(s, t);
    return suite_run(s);
}
