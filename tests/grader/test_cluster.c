/*
 * A cluster's configuration, and what becomes of jobs; with programs in the
 * place of Slurm's (tests/grader/slurm.sh has a real one).
 */
#define _GNU_SOURCE
#include <check.h>
#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "child.h"
#include "grader/batch/slurm_config.h"
#include "grader/batch/slurm_job.h"
#include "suite.h"

static char dir[CHILD_FOLDER];

static void make_folder(void)
{
    child_folder(dir, "cluster");
}

static void remove_folder(void)
{
    child_remove(dir);
}

/* Write DIR/NAME; a program, if it begins with #!. */
static void put(const char *name, const char *text)
{
    char path[CHILD_FOLDER + 32];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *const f = fopen(path, "w");
    ck_assert(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    if (strncmp(text, "#!", 2) == 0) {
        struct child c = child_run(10, "chmod 755 %s", path);
        child_clear(&c);
    }
}

static int load(struct slurm_config *c, const char *gpu, char err[512])
{
    char path[CHILD_FOLDER + 32];
    snprintf(path, sizeof path, "%s/slurm.yaml", dir);
    return slurm_config_load(c, path, gpu, err, 512);
}

/* sbatch's options and the job's script. */
static const char *text_of(const struct slurm_config *c)
{
    static char text[8192];
    FILE *const f = fmemopen(text, sizeof text, "w");
    slurm_job_options(f, c);
    fputc('\n', f);
    slurm_job_begin(f, c);
    slurm_job_command(f, c);
    fputc('\0', f);
    fclose(f);
    return text;
}

static const char yaml[] =
    "account: teaching\nreservation: lab hours\nnodes: 1\ntime: 01:00:00\n"
    "setup: |\n  module load mpich\n  export A=1\n"
    "container: apptainer exec c.sif\n"
    "partitions:\n"
    "  h100: {partition: big, gres: 'gpu:h100:8'}\n"
    "  a100: {partition: old, gres: 'gpu:a100:4', time: 02:00:00}\n";

START_TEST(a_clusters_configuration_is_read)
{
    struct slurm_config c;
    char err[512];
    put("slurm.yaml", yaml);
    ck_assert_msg(load(&c, NULL, err) == 0, "%s", err);
    ck_assert_str_eq(c.gpu, "h100");
    ck_assert_str_eq(
        text_of(&c),
        " '--account=teaching' '--partition=big' '--reservation=lab hours' "
        "'--gres=gpu:h100:8' '--nodes=1' '--time=01:00:00'\n#!/bin/bash -l\n"
        "module load mpich\nexport A=1\n\napptainer exec c.sif ");
    ck_assert_msg(load(&c, "a100", err) == 0, "%s", err);
    ck_assert(strstr(text_of(&c), "'--partition=old'") != NULL);
    ck_assert(strstr(text_of(&c), "'--gres=gpu:a100:4' '--nodes=1' "
                                  "'--time=02:00:00'\n") != NULL);
}
END_TEST

static const struct {
    const char *yaml, *gpu, *says;
} bad[] = {
    {"colour: red\n", NULL, "slurm.yaml:1: no such key"},
    {"time: 1\nper_job: many\n", NULL, ":2: per_job is a number"},
    {"partitions:\n  a: {colour: red}\n  b: {}\n", "b", ":2: no such key"},
    {"partitions: {a: {}}\n", "h100", "no partition for --gpu h100"},
    {"partitions: a\n", NULL, ":1: a list of"},
    {"time: [1]\n", NULL, ":1: a key has a single value"},
};

START_TEST(what_is_wrong_with_it_is_named)
{
    struct slurm_config c;
    char err[512] = "";
    put("slurm.yaml", bad[_i].yaml);
    ck_assert_int_ne(load(&c, bad[_i].gpu, err), 0);
    ck_assert_msg(strstr(err, bad[_i].says) != NULL, "%s", err);
}
END_TEST

/* A cluster that runs the script here and now, or does not see a folder. */
static const char sbatch[] =
    "#!/bin/bash\nfor a; do case $a in --output=*) out=${a#--output=};; esac; "
    "done\ncd / && bash \"${!#}\" > \"$out\" 2>&1\n";

START_TEST(the_doctor_says_what_a_node_lacks)
{
    put("sbatch", sbatch);
    put("slurm.yaml", "setup: |\n  PATH=$(dirname $0)/../few:$PATH\n");
    struct child c = child_run(
        120,
        "cd %s && mkdir few && printf '#!/bin/sh\\nexit 1\\n' > few/bwrap && "
        "chmod 755 few/bwrap && PATH=%s:$PATH %s/tests/grader/grade doctor "
        "--executor slurm "
        "--config slurm.yaml --spool spool",
        dir, dir, child_build());
    ck_assert_msg(c.status == 1, "%d: %s%s", c.status, c.out, c.err);
    ck_assert_msg(strstr(c.out, "ok     C compiler: ") != NULL, "%s", c.out);
    ck_assert_msg(strstr(c.out, "WRONG  user namespaces: ") != NULL, "%s",
                  c.out);
    ck_assert_msg(strstr(c.out, "ok     spool: ") != NULL, "%s", c.out);
    ck_assert(strstr(c.out, "1 to fix before") != NULL);
    child_clear(&c);
}
END_TEST

/* Which one depends on the machine, and on who grades. */
START_TEST(the_doctor_says_which_limits_hold)
{
    static const char *const levels[] = {
        "ok     limits: root control group (memory: control group, processes: "
        "control group)\n",
        "ok     limits: delegated control group (memory: control group, "
        "processes: control group)\n",
        "ok     limits: namespace limits and watchdog (memory: ",
        "ok     limits: watchdog only (memory: watchdog, processes: "
        "watchdog);"};
    int n = 0;
    struct child c =
        child_run(120, "%s/tests/grader/grade doctor", child_build());
    for (int i = 0; i < 4; i++)
        n += strstr(c.out, levels[i]) != NULL;
    ck_assert_msg(n == 1, "%s", c.out);
    child_clear(&c);
}
END_TEST

START_TEST(a_node_without_the_kit_or_the_spool_is_told)
{
    static const char *const prefix[][2] = {
        {"container: \"f() { shift 2; false; }; f\"\n", "WRONG  kit: "},
        {"setup: |\n  [() { false; }\n", "WRONG  spool: "}};
    put("sbatch", sbatch);
    for (int i = 0; i < 2; i++) {
        put("slurm.yaml", prefix[i][0]);
        struct child c =
            child_run(60,
                      "cd %s && PATH=%s:$PATH %s/tests/grader/grade doctor "
                      "--executor slurm --config slurm.yaml "
                      "--spool spool",
                      dir, dir, child_build());
        ck_assert_msg(c.status == 1 && strstr(c.out, prefix[i][1]), "%s%s",
                      c.out, c.err);
        child_clear(&c);
    }
}
END_TEST

/* Who of Slurm's tools still knows the job, what it prints, what is said. */
static const char *const ends[][3] = {
    {"squeue", "0 TIMEOUT", "its Slurm job ran out of time"},
    {"squeue", "0 CANCELLED", "its Slurm job was cancelled"},
    {"squeue", "0 NODE_FAIL", "the node of its Slurm job failed"},
    {"scontrol", "JobId=8 ArrayTaskId=0 JobState=CANCELLED Reason=None",
     "its Slurm job was cancelled"},
    {"scontrol", "JobId=8 ArrayTaskId=0 JobState=TIMEOUT Reason=TimeLimit",
     "its Slurm job ran out of time"},
    {"sacct", "CANCELLED by 1000", "its Slurm job was cancelled"},
    {"sacct", "OUT_OF_MEMORY", "its Slurm job ran out of memory"},
    {"sacct", "", "its Slurm job ended without a result"},
    // of the array alone is anything known
    {"scontrol", "'; case $4 in *_*) exit 1; esac; echo 'JobId=7",
     "its Slurm job was cancelled"},
};

START_TEST(jobs_that_were_cancelled_or_late_are_told_apart)
{
    char script[128];
    put("sbatch", "#!/bin/sh\necho 7\n");
    put("scancel", "#!/bin/sh\n");
    put("squeue", "#!/bin/sh\n");
    put("scontrol", "#!/bin/sh\nexit 1\n");
    put("sacct", "#!/bin/sh\nexit 1\n");
    snprintf(script, sizeof script, "#!/bin/sh\necho '%s'\n", ends[_i][1]);
    put(ends[_i][0], script);
    struct child c = child_run(
        120,
        "cd %s && mkdir -p in/ada && touch in/ada/p2p.c && printf "
        "'student\\nada\\n' > r.csv && export PATH=%s:$PATH && "
        "%s/tests/grader/grade batch "
        "--roster r.csv --submissions in --ledger L.db --lab lab1 --executor "
        "slurm --retries 0; %s/tests/grader/grade status --ledger L.db",
        dir, dir, child_build(), child_build());
    ck_assert_msg(strstr(c.out, ends[_i][2]) != NULL, "%s%s", c.out, c.err);
    ck_assert(strstr(c.out, "1 infra") != NULL);
    child_clear(&c);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("cluster");
    TCase *const t = tcase_create("cluster");
    tcase_set_timeout(t, 200);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, a_clusters_configuration_is_read);
    tcase_add_loop_test(t, what_is_wrong_with_it_is_named, 0,
                        sizeof bad / sizeof *bad);
    tcase_add_test(t, the_doctor_says_what_a_node_lacks);
    tcase_add_test(t, the_doctor_says_which_limits_hold);
    tcase_add_test(t, a_node_without_the_kit_or_the_spool_is_told);
    tcase_add_loop_test(t, jobs_that_were_cancelled_or_late_are_told_apart, 0,
                        sizeof ends / sizeof *ends);
    suite_add_tcase(s, t);
    return suite_run(s);
}
