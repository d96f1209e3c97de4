/*
 * A matrix of machines that are not as they should be, and what a grading of
 * the solution comes to on each: full marks, or infra with a message that says
 * what to do. It is never fewer points, nor an end without a verdict.
 *
 * The suite prints the matrix.
 */
#define _GNU_SOURCE
#include <check.h>
#include <jansson.h> /* json_load_file */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* strcmp, strstr */
#include <unistd.h>  /* getuid */

#include "child.h"
#include "grader/base/verb.h"
#include "suite.h"

static char dir[CHILD_FOLDER];
static const char *build;

static void setup(void)
{
    build = child_build();
    child_folder(dir, "infra");
}

static void teardown(void)
{
    child_remove(dir);
}

/* Run by a shell in an empty folder, with the command of a grading in "$@".
 * $KIT is the kit. */
static const struct row {
    const char *what, *script;
    const char *says; /* part of the message, of infra; NULL: full marks */
    int as_root;      /* mounts, and so needs root */
} rows[] = {
    {"umask 027", "umask 027; \"$@\"", NULL, 0},
    {"umask 077", "umask 077; \"$@\"", NULL, 0},
    {"few descriptors", "ulimit -n 24; \"$@\"",
     "ulimit -n allows 24 open files", 0},
    {"small address space", "ulimit -v 2000000; \"$@\"",
     "ulimit -v allows 2000000 KiB of addresses", 0},
    {"small data", "ulimit -d 500000; \"$@\"", "ulimit -d allows 500000 KiB",
     0},
    {"small files", "ulimit -f 64; \"$@\"", "ulimit -f allows 32 KiB in a file",
     0},
    {"small stack", "ulimit -s 64; \"$@\"", "ulimit -s allows 64 KiB of stack",
     0},
    {"small soft limits",
     "ulimit -S -n 24; ulimit -S -s 64; ulimit -S -f 64; \"$@\"", NULL, 0},
    {"no stack limit", "ulimit -S -s unlimited; \"$@\"", NULL, 0},
    {"little CPU time", "ulimit -t 20; \"$@\"",
     "ulimit -t allows 20 seconds of CPU time", 0},
    {"few processes", "ulimit -p 64; \"$@\"",
     "ulimit -u allows 64 processes and threads", 0},
    {"SIGCHLD is ignored", "trap \"\" CHLD; exec \"$@\"", NULL, 0},
    {"closed descriptors", "\"$@\" <&- >&- 2>&-", NULL, 0},
    {"output into a closed pipe", "\"$@\" | true", NULL, 0},
    {"TMPDIR with odd letters",
     "t=$(printf \"%s/a b\\n\\303\\251\" \"$PWD\"); mkdir \"$t\" && "
     "TMPDIR=$t \"$@\"",
     NULL, 0},
    {"HOME that is read-only", "HOME=/proc \"$@\"", NULL, 0},
    {"a Turkish locale and an odd zone",
     "LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8 TZ=Pacific/Chatham \"$@\"", NULL, 0},
    {"what shells read",
     "echo exit 3 > e; IFS=/ BASH_ENV=$PWD/e ENV=$PWD/e CDPATH=/tmp:/ "
     "POSIXLY_CORRECT=1 \"$@\"",
     NULL, 0},
    {"what tools read",
     "GREP_OPTIONS=--color=always TAR_OPTIONS=--none MAKEFLAGS=-k CC=clang "
     "CPATH=/none LIBRARY_PATH=/none GCC_EXEC_PREFIX=/none "
     "MALLOC_PERTURB_=85 \"$@\"",
     NULL, 0},
    {"what libraries read",
     "OMP_NUM_THREADS=9999 NCCL_P2P_DISABLE=1 CUDA_VISIBLE_DEVICES= "
     "OMPI_MCA_btl=none SLURM_JOB_ID=1 SLURM_NTASKS=1 SLURM_NODELIST=none "
     "SIMGPU_TOPO=none COMMLAB_PLANS=/none \"$@\"",
     NULL, 0},
    {"a folder that was removed", "mkdir x; cd x; rmdir ../x; \"$@\"", NULL, 0},
    {"an empty environment", "env -i \"$@\"", NULL, 0},
    {"tools that fail",
     "for c in git mkdir rm cat; do printf \"#!/bin/sh\\nexit 9\\n\" > $c; "
     "chmod +x $c; done; PATH=$PWD:$PATH \"$@\"",
     NULL, 0},
    {"umask 777", "umask 777; \"$@\"", NULL, 0},
    {"a path with a newline and quotes",
     "t=$(printf \"%s/a\\n\\042\\044b\" \"$PWD\"); mkdir \"$t\" && "
     "TMPDIR=$t \"$@\"",
     NULL, 0},
    {"TMPDIR is missing", "TMPDIR=$PWD/none \"$@\"",
     "set TMPDIR to a folder of yours", 0},
    {"TMPDIR is read-only", "TMPDIR=/proc \"$@\"",
     "set TMPDIR to a folder of yours", 0},
    {"TMPDIR is noexec",
     "mkdir t && mount -t tmpfs -o noexec none t && TMPDIR=$PWD/t \"$@\"",
     "is mounted noexec, so no program starts there: set TMPDIR", 1},
    {"TMPDIR is full",
     "mkdir t && mount -t tmpfs -o size=64k none t && TMPDIR=$PWD/t \"$@\"",
     "No space left on device", 1},
    {"TMPDIR has no inodes",
     "mkdir t && mount -t tmpfs -o nr_inodes=8 none t && TMPDIR=$PWD/t \"$@\"",
     "No space left on device", 1},
    {"no tools in PATH", "PATH=/none \"$@\"", "grade doctor says", 0},
    {"no mpirun",
     "mount --bind /dev/null $(realpath $(command -v mpirun)) && \"$@\"",
     "cannot start mpirun: install it", 1},
    {"no compiler",
     "mount --bind /dev/null $(realpath $(command -v gcc)) && \"$@\"",
     "cannot compile here", 1},
    {"a kit that is closed",
     "cp -r $KIT/build/simgpu/include . && chmod -R go= include && "
     "mount --bind include $KIT/build/simgpu/include && \"$@\"",
     "can't read /simgpu/include: if it is the kit's, chmod -R a+rX", 1},
    {"no bubblewrap",
     "mount --bind /dev/null $(realpath $(command -v bwrap)) && \"$@\"",
     "the sandbox cannot build", 1},
    {"no linker",
     "mount --bind /dev/null $(realpath $(command -v ld)) && \"$@\"",
     "cannot compile here", 1},
    {"starved CPU",
     "for i in 1 2 3 4; do taskset -c 0 sh -c \"while :; do :; done\" & done; "
     "taskset -c 0 \"$@\"; s=$?; kill $(jobs -p); exit $s",
     NULL, 0},
    {"I/O that stalls",
     "truncate -s 256M image && mkfs.ext4 -q image && mkdir t && "
     "mount -o loop image t && chmod 755 t && "
     "{ (sleep 1; fsfreeze -f t; sleep 60; fsfreeze -u t) & } && "
     "TMPDIR=$PWD/t \"$@\"; s=$?; wait; exit $s",
     NULL, 1},
    {"a deadline",
     "set -- \"$@\" --case broadcast,ring; \"$@\" & p=$!; "
     "until pgrep -P $p >/dev/null || ! kill -0 $p; do sleep 0.05; done; "
     "kill $p; wait $p",
     "was ended from outside (Terminated): if a limit on its time did that", 0},
};

/* The shell that runs a row's script: root's mounts are its own. */
static const char *shell_of(const struct row *r)
{
    return r->as_root ? "unshare -m sh -c" : "sh -c";
}

START_TEST(a_machine_costs_no_points)
{
    const struct row *const r = &rows[_i];
    char script[512], path[CHILD_FOLDER + 16];
    if (r->as_root && getuid() != 0) {
        printf("%-24s skipped: it needs root to mount\n", r->what);
        return;
    }
    snprintf(script, sizeof script, "%s", r->script);
    struct child c = child_run(
        120,
        "cd %s && export KIT=$(realpath %s/..) && chmod 755 . && %s '%s' sh "
        "%s/grade run --lab lab1 --student ada --json %s/r.json "
        "--case communicator $KIT/solutions/lab1-collectives",
        dir, build, shell_of(r), script, build, dir);
    snprintf(path, sizeof path, "%s/r.json", dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "%s: no verdict: status %d\n%s%s", r->what,
                  c.status, c.out, c.err);
    const char *const outcome =
        json_string_value(json_object_get(j, "outcome"));
    const char *const message =
        json_string_value(json_object_get(j, "message"));
    printf("%-24s %-6s %s\n", r->what, outcome, message);
    ck_assert_msg(strcmp(outcome, r->says ? "infra" : "pass") == 0,
                  "%s: %s, %s\n%s%s", r->what, outcome, message, c.out, c.err);
    ck_assert_msg(!r->says || (message[0] && strstr(message, r->says)),
                  "%s: %s", r->what, message);
    json_decref(j);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("infra");
    TCase *const t = tcase_create("infra");
    tcase_set_timeout(t, 200);
    tcase_add_checked_fixture(t, setup, teardown);
    SUITE_LOOP(t, a_machine_costs_no_points, rows);
    suite_add_tcase(s, t);
    return suite_run(s);
}
