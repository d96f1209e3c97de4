/*
 * Ranks that are killed while they are graded: from outside, which is the
 * machine's fault, and by themselves, which is their author's. Nor is it the
 * author's if they cannot begin.
 */
#define _GNU_SOURCE
#include <check.h>
#include <errno.h>         /* EINVAL */
#include <jansson.h>       /* json_load_file */
#include <linux/filter.h>  /* struct sock_filter */
#include <linux/seccomp.h> /* struct seccomp_data */
#include <stddef.h>        /* offsetof */
#include <stdio.h>         /* snprintf */
#include <stdlib.h>        /* free */
#include <string.h>        /* strcmp */
#include <sys/prctl.h>     /* prctl */
#include <sys/syscall.h>   /* SYS_prctl */

#include "child.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

/* The solution, with this at the beginning of boot_comm(). */
static void make_submission(const char *code)
{
    child_folder(dir, "commlab-killed");
    struct child c = child_run(
        30,
        "cd %s && cp %s/../solutions/lab1-collectives/* . && sed -i "
        "'s|#include \"lab1.h\"|#include <stdio.h>\\n#include <stdlib.h>\\n"
        "#include <unistd.h>\\n&|; 0,/    int rank, nranks;/s//    int rank, "
        "nranks;\\n    %s/' bootstrap.c",
        dir, child_build(), code);
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

/* Grade it with an option while `meanwhile` runs, with the grader's number in
 * $grader. The message of the outcome, or of the case, has to contain `says`.
 */
static void grade_with(const char *option, const char *meanwhile,
                       const char *outcome, const char *says)
{
    char path[CHILD_FOLDER + 16];
    snprintf(path, sizeof path, "%s/r.json", dir);
    struct child c = child_run(
        900,
        "cd %s && %s/grade run %s --lab lab1 --case communicator --json %s . > "
        "out & grader=$!; %s; wait $grader; cat %s/out",
        dir, child_build(), option, path, meanwhile, dir);
    json_t *const j = json_load_file(path, 0, NULL);
    ck_assert_msg(j != NULL, "no JSON\n%s%s", c.out, c.err);
    const char *const got = json_string_value(json_object_get(j, "outcome"));
    ck_assert_msg(strcmp(got, outcome) == 0 && strstr(c.out, says),
                  "%s: %s, should be %s with \"%s\"\n%s%s", meanwhile, got,
                  outcome, says, c.out, c.err);
    json_decref(j);
    child_clear(&c);
    child_remove(dir);
}

static void grade(const char *meanwhile, const char *outcome, const char *says)
{
    grade_with("", meanwhile, outcome, says);
}

/* Processes of the grader's that are called `child`, with a parent called
 * `parent`, as soon as each of the four ranks has its warden. Most are in the
 * case a moment later, and none ends it before the kill. */
#define SLEEPS "sleep(25);"
#define FIND                                                                   \
    "find_() { ps -eo pid=,ppid=,comm= | awk -v g=$grader -v p=$1 -v c=$2 "    \
    "'{ up[$1] = $2; name[$1] = $3 } END { for (i in up) { k = i; for (n = "   \
    "0; "                                                                      \
    "k != g && k > 1 && n < 40; n++) k = up[k]; if (k == g && name[i] == c "   \
    "&& (p == \"any\" || name[up[i]] == p)) print i } }' | sort -n; }; "       \
    "until [ $(find_ program program | wc -l) -ge 4 ]; do sleep 0.05; done; "  \
    "sleep 0.7; "

static const struct {
    const char *parent, *child, *signal, *says;
} kills[] = {
    {"program", "program", "KILL", "was killed from outside (Killed)"},
    {"program", "program", "TERM", "was killed from outside (Terminated)"},
    {"hydra_pmi_proxy", "program", "KILL", "was killed from outside"},
    {"any", "mpirun", "KILL", "was killed from outside"},
    {"program", "program", "STOP", "was stopped from outside (Stopped"},
};

START_TEST(a_kill_from_outside_is_no_zero)
{
    char meanwhile[1024];
    make_submission(SLEEPS);
    snprintf(meanwhile, sizeof meanwhile,
             FIND "kill -%s $(find_ %s %s | head -n 1)", kills[_i].signal,
             kills[_i].parent, kills[_i].child);
    grade(meanwhile, "infra", kills[_i].says);
}
END_TEST

/* mpirun's part on the machine gets no core for a while: the other ranks do not
 * end before it has noticed. */
START_TEST(a_kill_that_is_noticed_late_is_no_zero)
{
    make_submission(SLEEPS);
    grade(FIND "proxy=$(find_ any hydra_pmi_proxy); kill -STOP $proxy; "
               "kill -KILL $(find_ hydra_pmi_proxy program | head -n 1); "
               "sleep 3; kill -CONT $proxy",
          "infra", "was killed from outside");
}
END_TEST

static const struct {
    const char *code, *says;
} ends[] = {
    {"_Exit(9);", "in the middle of the case, with exit status 9"},
    {"_Exit(137);", "in the middle of the case, with exit status 137"},
    {"MPI_Comm_rank(mpi_comm, \\&rank); if (rank == 1) _Exit(0);",
     "rank 1 ended in the middle of the case, with exit status 0"},
    {"_Exit(0);", "ended in the middle of the case, with exit status 0"},
    {"abort();", "abort()"},
    {"MPI_Abort(mpi_comm, 9);",
     "MPI_Abort(comm, 9) was called in boot_comm() at bootstrap.c"},
    {"MPI_Comm_rank(mpi_comm, \\&rank); if (!rank) MPI_Abort(mpi_comm, 137);",
     "MPI_Abort(comm, 137) was called in boot_comm() at bootstrap.c"},
    {"*(volatile int *)0 = 1;", "segmentation fault"},
    {"fflush(NULL); _Exit(15);", "exit status 15"},
    {"MPI_Barrier(mpi_comm); _Exit(7);",
     "in the middle of the case, with exit status 7\n        Its last call was "
     "MPI_Barrier at bootstrap.c:21."},
};

START_TEST(an_end_of_its_own_is_a_fail)
{
    make_submission(ends[_i].code);
    grade(":", "fail", ends[_i].says);
}
END_TEST

/* From here on, no program can have a seccomp filter: so it is on an emulated
 * processor. */
static void refuse_filters(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog all = {sizeof code / sizeof *code, code};
    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all), 0);
}

START_TEST(a_machine_without_filters_gives_no_zero)
{
    make_submission("");
    refuse_filters();
    grade_with("--isolation 0", ":", "infra",
               "does not let a program restrict itself");
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("killed");
    TCase *const t = tcase_create("killed");
    tcase_set_timeout(t, 1000);
    SUITE_LOOP(t, a_kill_from_outside_is_no_zero, kills);
    tcase_add_test(t, a_kill_that_is_noticed_late_is_no_zero);
    SUITE_LOOP(t, an_end_of_its_own_is_a_fail, ends);
    tcase_add_test(t, a_machine_without_filters_gives_no_zero);
    suite_add_tcase(s, t);
    return suite_run(s);
}
