/*
 * verb_doctor.c: grade doctor
 *
 * Prints what a machine lacks to grade submissions: this machine, which
 * doctor.sh checks, or (--executor slurm) a compute node of the cluster. There
 * a job like those of a batch runs `grade doctor`. The lines are like those of
 * `make doctor`:
 *
 *     ok     WHAT: what was found
 *     WRONG  WHAT: what was found; how to fix it
 */
#define _GNU_SOURCE
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* popen */
#include <stdlib.h>   /* setenv */
#include <string.h>   /* strcspn */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* execl */

#include "base/embed.h"
#include "base/no_input.h"
#include "grader/base/folder.h"
#include "grader/batch/slurm_job.h"
#include "grader/sandbox/sandbox.h"
#include "grader/verbs/verbs.h"

struct options {
    const char *config, *spool, *gpu;
    int executor;
};

#define AT(member) offsetof(struct options, member)
static const char *const executors[] = {"local", "slurm", NULL};
static const struct verb_option known[] = {
    VERB_OPTION(VERB_WORD, "executor", "NAME", AT(executor),
                "local (default): this machine; slurm: a compute node",
                .words = executors),
    VERB_OPTION(VERB_TEXT, "config", "FILE", AT(config),
                "for slurm: as for grade batch"),
    VERB_OPTION(VERB_TEXT, "gpu", "NAME", AT(gpu),
                "for slurm: which of the config's partitions"),
    VERB_OPTION(VERB_TEXT, "spool", "DIR", AT(spool),
                "the batch's: check that it can be written"),
    {.name = NULL}};
static const struct verb doctor_verb = {
    .name = "doctor",
    .intro = "Say what this machine, or a compute node, lacks to grade "
             "submissions.",
    .options = known,
    .outro = "Exit status: 0 nothing, 1 something, 2 usage, 3 it could not be "
             "found out."};

/* ---- this machine -------------------------------------------------------- */

extern const char doctor_script[];
EMBED(doctor_script, "grader/verbs/doctor.sh");

/* Ask a sandbox, since only in use is it known which limits this user may set.
 * "", if it can't be used: the script says why. */
static void find_limits(char *text, size_t nbytes)
{
    static const char *const argv[] = {"true", NULL};
    static struct sandbox_end end;
    const struct sandbox s = {
        .level = SANDBOX_LEVEL, .limit_sec = 60, .idle_sec = 60};
    sandbox_run(&s, argv, &end);
    text[0] = 0;
    if (!end.infra)
        snprintf(text, nbytes, "%s (memory: %s, processes: %s)", end.limits,
                 end.memory, end.processes);
}

static int here(const struct options *o)
{
    int status = -1;
    char limits[128];
    find_limits(limits, sizeof limits);
    no_input(); // for mpirun
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("COMMLAB_LIMITS", limits, 1);
        execl("/bin/sh", "sh", "-c", doctor_script, "sh", o->spool, NULL);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    return status == 0 ? EXIT_FULL : EXIT_NOT_FULL;
}

/* ---- a compute node ------------------------------------------------------ */

struct node {
    struct slurm_config config;
    char self[PATH_MAX]; /* this program */
    char spool[PATH_MAX];
    char job[PATH_MAX + 32], out[PATH_MAX + 32]; /* the job's script; what it
                                                    prints */
};

static int node_init(struct node *n, const struct options *o)
{
    char err[512];
    if (slurm_config_load(&n->config, o->config, o->gpu, err, sizeof err) != 0)
        return verb_wrong("doctor", "%s", err);
    if (!o->spool)
        return verb_wrong("doctor", "--spool is missing: the job has to write "
                                    "somewhere that this machine sees");
    if (folder_make(o->spool) != 0 || !realpath(o->spool, n->spool))
        return verb_wrong("doctor", "%s: %m", o->spool);
    const ssize_t nbytes = readlink("/proc/self/exe", n->self, PATH_MAX - 1);
    n->self[nbytes > 0 ? nbytes : 0] = 0;
    snprintf(n->job, sizeof n->job, "%s/doctor.sh", n->spool);
    snprintf(n->out, sizeof n->out, "%s/doctor.txt", n->spool);
    unlink(n->out);
    return EXIT_FULL;
}

/* The job runs this program. Only where it cannot be run does the job itself
 * say what is wrong. */
static int write_job(const struct node *n)
{
    FILE *const f = fopen(n->job, "we");
    if (!f)
        return verb_wrong("doctor", "%s: %m", n->job);
    slurm_job_begin(f, &n->config);
    fprintf(f, "spool=");
    slurm_job_quote(f, n->spool);
    fprintf(f, "\ngrade=");
    slurm_job_quote(f, n->self);
    fprintf(f, "\n[ -d \"$spool\" ] || { echo 'WRONG  spool: it is not on this "
               "node; choose a --spool that all nodes see'; exit 1; }\n");
    slurm_job_command(f, &n->config);
    fprintf(f, "test -x \"$grade\" || { echo 'WRONG  kit: it is not on this "
               "node (or not in the container); build it in a folder that all "
               "nodes see'; exit 1; }\n");
    slurm_job_command(f, &n->config);
    fprintf(f, "\"$grade\" doctor --spool \"$spool\"\n");
    return fclose(f) == 0 ? EXIT_FULL : verb_wrong("doctor", "%s: %m", n->job);
}

/* Wait for the job to end. True if it did well; *line becomes the first line
 * that sbatch prints. */
static int submit(const struct node *n, char *line, size_t line_nbytes)
{
    char *command = NULL;
    size_t nbytes;
    FILE *f = open_memstream(&command, &nbytes);
    fprintf(f, "sbatch --wait --job-name=commlab-doctor");
    slurm_job_options(f, &n->config);
    fprintf(f, " --output=");
    slurm_job_quote(f, n->out);
    fputc(' ', f);
    slurm_job_quote(f, n->job);
    fprintf(f, " 2>&1");
    fclose(f);
    line[0] = 0;
    f = popen(command, "re");
    free(command);
    if (!f)
        return 0;
    if (fgets(line, (int)line_nbytes, f))
        line[strcspn(line, "\n")] = 0;
    while (fgetc(f) != EOF)
        ;
    return pclose(f) == 0;
}

/* Copy the job's output. Returns its number of lines. */
static int show(const char *path)
{
    char line[1024];
    FILE *const f = fopen(path, "re");
    int n = 0;
    for (; f && fgets(line, sizeof line, f); n++)
        fputs(line, stdout);
    if (f)
        fclose(f);
    return n;
}

static int on_node(const struct options *o)
{
    struct node n;
    char said[512];
    int status = node_init(&n, o);
    if (status == EXIT_FULL)
        status = write_job(&n);
    if (status != EXIT_FULL)
        return status;
    const int is_well = submit(&n, said, sizeof said);
    const int nlines = show(n.out);
    unlink(n.job);
    unlink(n.out);
    if (nlines > 0)
        return is_well ? EXIT_FULL : EXIT_NOT_FULL;
    verb_wrong("doctor",
               "the job left nothing in %s (%s): is it a folder that all nodes "
               "see?",
               n.spool, said);
    return EXIT_INFRA;
}

int verb_doctor(int argc, char **argv)
{
    struct options o = {.executor = 0};
    int status;
    if (verb_parse(&doctor_verb, argc, argv, &o, &status) < 0)
        return status;
    return o.executor ? on_node(&o) : here(&o);
}
