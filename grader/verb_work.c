/*
 * verb_work.c: grade work, a share of a batch, in a Slurm job
 *
 * Takes its lines of the spool's slurm.list, and grades those that have no result
 * yet: a job that was requeued goes on where it was.
 */
#define _GNU_SOURCE
#include <errno.h>    /* EINTR */
#include <getopt.h>   /* getopt_long */
#include <string.h>   /* strcmp */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* fork */

#include "run_command.h"
#include "verb.h"

struct options {
    const char *spool, *lab;
    int isolation, per_job, job;
};

static const struct option known[] = {
    {"spool", 1, NULL, 's'},     {"lab", 1, NULL, 'L'},
    {"isolation", 1, NULL, 'i'}, {"per-job", 1, NULL, 'p'},
    {"job", 1, NULL, 'j'},       {NULL, 0, NULL, 0}};

static int parse(int argc, char **argv, struct options *o)
{
    int err = 0;
    *o = (struct options){.job = -1};
    for (int k; (k = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (k) {
        case 's': o->spool = optarg; break;
        case 'L': o->lab = optarg; break;
        case 'i': err |= verb_number(optarg, 0, 3, &o->isolation); break;
        case 'p': err |= verb_number(optarg, 1, 10000, &o->per_job); break;
        case 'j': err |= verb_number(optarg, 0, 1000000, &o->job); break;
        default: return -1;
        }
    return err || !o->spool || !o->lab || !o->per_job || o->job < 0 ? -1 : 0;
}

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
    static struct run_command c;
    run_command_make(&c, self, o->spool, name, o->lab, seed, o->isolation);
    verb_remove_folder(c.work); // of a job that was killed
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
    struct options o;
    char path[PATH_MAX], self[PATH_MAX], name[128];
    unsigned long long seed;
    if (parse(argc, argv, &o) != 0)
        return verb_wrong("work", "is for grade batch --executor slurm");
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
