/*
 * verb_work.c: grade work, which grades a share of a batch in a Slurm job
 *
 * Takes its lines from the spool's slurm.list, and grades those without a
 * result, so a job that was requeued continues where it was.
 */
#define _GNU_SOURCE
#include <errno.h>    /* EINTR */
#include <stdio.h>    /* fscanf */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork */

#include "grader/base/folder.h"
#include "grader/batch/run_command.h"
#include "grader/sandbox/sandbox.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *spool, *lab;
    int isolation, per_job, job;
};

#define AT(member) offsetof(struct options, member)
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "spool", "DIR", AT(spool), "the batch's",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "its full name",
                .required = 1),
    VERB_OPTION(VERB_NUMBER, "isolation", "N", AT(isolation), "0 to 3",
                .most = SANDBOX_MAX_LEVEL),
    VERB_OPTION(VERB_NUMBER, "per-job", "N", AT(per_job), "lines of a job",
                .least = 1, .most = 10000),
    VERB_OPTION(VERB_NUMBER, "job", "N", AT(job), "which job, from 0",
                .most = 1000000),
    {.name = NULL}};
static const struct verb work_verb = {
    .name = "work",
    .intro = "Grade a job's share of slurm.list: what grade batch --executor "
             "slurm submits.",
    .options = known};

static int is_there(const struct options *o, const char *name,
                    const char *suffix)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s%s", o->spool, name, suffix);
    return access(path, F_OK) == 0;
}

static void grade_one(const struct options *o, const char *self,
                      const char *name, uint64_t seed)
{
    struct run_command c = {.self = self,
                            .spool = o->spool,
                            .lab = o->lab,
                            .isolation = o->isolation};
    run_command_make(&c, name, seed);
    folder_remove(c.work); // left over from a job that was killed
    const pid_t pid = fork();
    if (pid == 0) {
        execv(self, c.v);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

int verb_work(int argc, char **argv)
{
    struct options o = {.isolation = SANDBOX_LEVEL, .per_job = 1};
    char path[PATH_MAX], self[PATH_MAX], name[128];
    unsigned long long seed;
    int status;
    if (verb_parse(&work_verb, argc, argv, &o, &status) < 0)
        return status;
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    snprintf(path, sizeof path, "%s/slurm.list", o.spool);
    FILE *const list = fopen(path, "re");
    if (!list) {
        perror(path);
        return EXIT_INFRA;
    }
    for (int i = 0; fscanf(list, "%127s %llu", name, &seed) == 2; i++)
        if (i / o.per_job == o.job && !is_there(&o, name, ".json") &&
            !is_there(&o, "stop", ""))
            grade_one(&o, self, name, seed);
    fclose(list);
    return EXIT_FULL;
}
