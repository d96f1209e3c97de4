/*
 * Commands that a lab prints for one case, run as a shell takes them: an
 * "again:" line fails as the case did, in an environment that has nothing but
 * what the line sets, and the line of a case that was not run runs it.
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* fopen */
#include <string.h> /* strstr */

#include "child.h"
#include "suite.h"

enum { RUN_SEC = 60 };

static const char plan[] =
    "lab: again\ntitle: Again\nfiles: [a.c]\nranks: [2]\ncases:\n"
    "  - {name: says, part: 1, points: 1, kind: says}\n"
    "  - {name: crashes, part: 1, points: 1, kind: crashes}\n"
    "  - {name: there, part: 1, points: 1, kind: says, topo: pcie-4090}\n";
static const char hidden[] = "cases: [{name: secret, part: 1, points: 1, kind: "
                             "says}]\n";

/* A folder with the plan, and the program under a name that needs quotes. */
static void make(char dir[CHILD_FOLDER])
{
    child_folder(dir, "commlab-again");
    struct child c =
        child_run(RUN_SEC,
                  "cd %s && mkdir plans plans/hidden 'my labs' && printf '%s' "
                  "> plans/again.yaml && printf '%s' > "
                  "plans/hidden/again.yaml && ln -s %s/tests/lab/prog_again "
                  "'my labs/again'",
                  dir, plan, hidden, child_build());
    ck_assert_msg(c.status == 0, "%s", c.err);
    child_clear(&c);
}

/* Run a command in that folder, with no other variables than these. */
static struct child run(const char *dir, const char *variables,
                        const char *command)
{
    char path[CHILD_FOLDER + 32];
    snprintf(path, sizeof path, "%s/command", dir);
    FILE *const f = fopen(path, "w");
    ck_assert(f && fprintf(f, "%s\n", command) > 0 && fclose(f) == 0);
    return child_run(RUN_SEC,
                     "cd %s && env -i PATH=\"$PATH\" TMPDIR=\"${TMPDIR-}\" "
                     "COMMLAB_PLANS=plans %s sh command",
                     dir, variables);
}

/* What is between two texts, of which the first has to be there: "" if the
 * second is not. */
static void between(const char *all, const char *from, const char *to,
                    char *out, size_t nbytes)
{
    const char *const begin = strstr(all, from);
    ck_assert_msg(begin != NULL, "no \"%s\" in:\n%s", from, all);
    const char *const end = strstr(begin, to);
    snprintf(out, nbytes, "%.*s", end ? (int)(end - begin) : 0, begin);
}

static const struct {
    const char *variables, *command; /* $P: the program */
} runs[] = {
    {"", "mpirun -n 2 $P --case says"},
    {"", "mpirun -n 3 $P --case says --seed 7"},
    {"", "mpirun -n 2 $P --case says --key 0xabc0000000000001"},
    {"", "mpirun -n 2 $P --case says --iterations 3"},
    {"", "mpirun -n 2 $P --case says --warmup 2"},
    {"", "mpirun -n 2 $P --case secret --hidden"},
    {"", "mpirun -n 2 $P --case crashes"},
    {"COMMLAB_SUPERVISE=0", "mpirun -n 2 $P --case says"},
    {"SIMGPU_TOPO=2x:dgx-h100", "mpirun -n 9 $P --case says"},
    {"SIMGPU_TOPO=pcie-4090", "mpirun -n 2 $P --case there"},
    {"SIMGPU_SCHEDULE=random:5", "mpirun -n 2 $P --case says"},
    {"SIMGPU_FILL=zero", "mpirun -n 2 $P --case says"},
    {"SIMGPU_CORES=2", "mpirun -n 2 $P --case says"},
    {"CUDA_MODULE_LOADING=LAZY", "mpirun -n 2 $P --case says"},
    {"CUDA_VISIBLE_DEVICES=2,1,0", "mpirun -n 2 $P --case says"},
    {"NCCL_ALGO=ring,tree NCCL_PROTO='^LL128'", "mpirun -n 2 $P --case says"},
    {"NCCL_MAX_NCHANNELS=4 NCCL_MIN_NCHANNELS=2 NCCL_DEBUG=WARN",
     "mpirun -n 2 $P --case says"},
};

START_TEST(a_printed_command_fails_as_the_case_did)
{
    char dir[CHILD_FOLDER], command[512], line[4096], first[2048], then[2048];
    make(dir);
    snprintf(command, sizeof command, "P='my labs/again'; %s",
             runs[_i].command);
    char *const at = strstr(command, "$P --");
    memmove(at + 4, at + 2, strlen(at + 2) + 1);
    memcpy(at, "\"$P\"", 4);
    struct child c = run(dir, runs[_i].variables, command);
    between(c.out, "  FAIL  ", "        again: ", first, sizeof first);
    between(c.out, "again: ", "\n", line, sizeof line);
    ck_assert_msg(*first && *line, "%s%s", c.out, c.err);
    child_clear(&c);
    c = run(dir, "", line + strlen("again: "));
    between(c.out, "  FAIL  ", "        again: ", then, sizeof then);
    ck_assert_msg(strcmp(first, then) == 0,
                  "%s %s printed\n%s\n, which says\n%s\nbut said\n%s",
                  runs[_i].variables, runs[_i].command, line, then, first);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

START_TEST(the_command_of_a_case_not_run_runs_it)
{
    char dir[CHILD_FOLDER], line[4096];
    make(dir);
    struct child c =
        run(dir, "", "mpirun -n 2 'my labs/again' --case there --seed 4");
    between(c.out, "    SIMGPU_TOPO=pcie-4090 mpirun", "\n", line, sizeof line);
    child_clear(&c);
    c = run(dir, "", line);
    ck_assert_msg(strstr(c.out, "SIMGPU_TOPO=pcie-4090, "), "%s%s", c.out,
                  c.err);
    child_clear(&c);
    child_remove(dir);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("again");
    TCase *const t = tcase_create("again");
    tcase_set_timeout(t, 3 * RUN_SEC);
    tcase_add_loop_test(t, a_printed_command_fails_as_the_case_did, 0,
                        sizeof runs / sizeof *runs);
    tcase_add_test(t, the_command_of_a_case_not_run_runs_it);
    suite_add_tcase(s, t);
    return suite_run(s);
}
