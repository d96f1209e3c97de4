/*
 * verb_doctor.c: grade doctor
 *
 * Says what a machine lacks to grade: this one, or (--executor slurm) a compute
 * node of the cluster, on which it runs itself in a job as the batch's own.
 * A line for each requirement, as `make doctor` prints them:
 *
 *     ok     WHAT: what was found
 *     WRONG  WHAT: what was found; how to fix it
 */
#define _GNU_SOURCE
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* popen */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <unistd.h> /* access */

#include "base/no_input.h"
#include "folder.h"
#include "slurm_job.h"
#include "verb.h"

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
                "the batch's: can it be written?"),
    {.name = NULL}};
static const struct verb doctor_verb = {
    .name = "doctor",
    .intro = "Say what this machine, or a compute node, lacks to grade "
             "submissions.",
    .options = known,
    .outro = "Exit status: 0 nothing, 1 something, 2 usage, 3 it could not be "
             "found out."};

/* ---- this machine -------------------------------------------------------- */

/* The first line that a command prints; its exit status. */
static int ask(const char *command, char *line, size_t nbytes)
{
    FILE *const f = popen(command, "re");
    line[0] = 0;
    if (!f)
        return -1;
    if (fgets(line, (int)nbytes, f))
        line[strcspn(line, "\n")] = 0;
    while (fgetc(f) != EOF)
        ;
    return pclose(f);
}

static const struct {
    const char *what, *command, *fix;
} checks[] = {
    {"C compiler",
     "echo 'int main(void) { return 0; }' | gcc -x c -o /dev/null "
     "- 2>&1 && gcc --version",
     "submissions are compiled here: install gcc, or load its module in setup"},
    {"C++ compiler",
     "echo 'int main() { return 0; }' | g++ -x c++ -o /dev/null - 2>&1 && g++ "
     "--version",
     "kernels are compiled here: install g++, or load its module in setup"},
    {"MPI",
     "r=$(env -i PATH=\"$PATH\" timeout 60 mpirun -n 2 sh -c 'echo rank' "
     "2>&1); "
     "[ \"$r\" = \"rank\nrank\" ] && mpirun --version | sed -n 's/^ *Version: "
     "*/MPICH /p' || "
     "{ echo \"$r\" | head -n 1; exit 1; }",
     "mpirun -n 2 has to start two processes: install MPICH, or load its "
     "module in setup"},
    {"bubblewrap", "command -v bwrap || { echo 'not installed'; exit 1; }",
     "install bubblewrap, or grade with --isolation 1"},
    {"user namespaces",
     "bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev --size 4096 "
     "--tmpfs /tmp true 2>&1 && echo 'can be created'",
     "allow them (kernel.unprivileged_userns_clone=1, user.max_user_namespaces,"
     " AppArmor) and have a bubblewrap with --size, or grade with --isolation "
     "1"},
    {"peers' memory",
     "exec 9< /dev/null; sh -c \"true < /proc/$$/fd/9\" 2>&1 && "
     "echo 'processes can open each other files in /proc'",
     "mount /proc without hidepid, and lift ptrace restrictions"},
    {"temporary folder",
     "d=$(mktemp -d) && printf '#!/bin/sh\nexit 0\n' > \"$d/x\" && chmod 700 "
     "\"$d/x\" && \"$d/x\" 2>&1; s=$?; df -Ph \"${TMPDIR:-/tmp}\" | awk 'NR == "
     "2 { print $4 \" free in \" $6 }'; rm -rf \"$d\"; exit $s",
     "programs have to run there: set TMPDIR in setup"},
};

static int check(const char *what, const char *command, const char *fix)
{
    char line[512];
    const int wrong = ask(command, line, sizeof line) != 0;
    printf("%-6s %s: %s%s%s\n", wrong ? "WRONG" : "ok", what,
           line[0] ? line : "nothing was printed", wrong ? "; " : "",
           wrong ? fix : "");
    return wrong;
}

/* A file can be made in the spool. */
static int check_spool(const char *spool)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/doctor-%d", spool, (int)getpid());
    FILE *const f = fopen(path, "we");
    if (f)
        fclose(f);
    printf("%-6s spool: %s%s\n", f ? "ok" : "WRONG", spool,
           f ? " can be written"
             : " cannot be written; it has to be a folder that all nodes see");
    unlink(path);
    return !f;
}

static int here(const struct options *o)
{
    char name[256] = "?";
    int wrong = 0;
    no_input(); // for mpirun
    gethostname(name, sizeof name - 1);
    printf("ok     machine: %s\n", name);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        wrong += check(checks[i].what, checks[i].command, checks[i].fix);
    if (o->spool)
        wrong += check_spool(o->spool);
    if (wrong)
        printf("\n%d to fix before submissions can be graded there\n", wrong);
    else
        printf("\nsubmissions can be graded there\n");
    return wrong ? EXIT_NOT_FULL : EXIT_FULL;
}

/* ---- a compute node ------------------------------------------------------ */

/* The job: its own words only where this program can't be run there. */
static int write_job(const struct slurm_config *c, const char *path,
                     const char *self, const char *spool)
{
    FILE *const f = fopen(path, "we");
    if (!f)
        return -1;
    slurm_job_begin(f, c);
    fprintf(f, "if ! [ -d ");
    slurm_job_quote(f, spool);
    fprintf(f, " ]; then\n    echo 'WRONG  spool: it is not on this node; "
               "choose a --spool that all nodes see'\n    exit 1\nfi\n");
    slurm_job_command(f, c);
    fprintf(f, "test -x ");
    slurm_job_quote(f, self);
    fprintf(f, " || { echo 'WRONG  kit: it is not on this node (or not in the "
               "container); build it in a folder that all nodes see'; exit 1; "
               "}\n");
    slurm_job_command(f, c);
    slurm_job_quote(f, self);
    fprintf(f, " doctor --spool ");
    slurm_job_quote(f, spool);
    fprintf(f, "\n");
    return fclose(f);
}

/* Copy what the job printed; -1 if there is nothing. */
static int show(const char *path)
{
    char line[1024];
    FILE *const f = fopen(path, "re");
    int n = 0;
    while (f && fgets(line, sizeof line, f)) {
        fputs(line, stdout);
        n++;
    }
    if (f)
        fclose(f);
    return n ? 0 : -1;
}

static int on_node(const struct options *o)
{
    struct slurm_config c;
    char spool[PATH_MAX], job[PATH_MAX + 32], out[PATH_MAX + 32],
        self[PATH_MAX], err[512], line[512], *command = NULL;
    size_t nbytes;
    if (slurm_config_load(&c, o->config, o->gpu, err, sizeof err) != 0)
        return verb_wrong("doctor", "%s", err);
    if (!o->spool)
        return verb_wrong("doctor", "--spool is missing: the job has to write "
                                    "somewhere that this machine sees");
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    if (folder_make(o->spool) != 0 || !realpath(o->spool, spool))
        return verb_wrong("doctor", "%s: %m", o->spool);
    snprintf(job, sizeof job, "%s/doctor.sh", spool);
    snprintf(out, sizeof out, "%s/doctor.txt", spool);
    unlink(out);
    if (write_job(&c, job, self, spool) != 0)
        return verb_wrong("doctor", "%s: %m", job);
    FILE *const f = open_memstream(&command, &nbytes);
    fprintf(f, "sbatch --wait --job-name=commlab-doctor");
    slurm_job_options(f, &c);
    fprintf(f, " --output=");
    slurm_job_quote(f, out);
    fputc(' ', f);
    slurm_job_quote(f, job);
    fprintf(f, " 2>&1");
    fclose(f);
    const int status = ask(command, line, sizeof line);
    free(command);
    const int nothing = show(out);
    unlink(job);
    unlink(out);
    if (nothing) {
        verb_wrong("doctor",
                   "the job left nothing in %s (%s): is it a folder that all "
                   "nodes see?",
                   spool, line);
        return EXIT_INFRA;
    }
    return status == 0 ? EXIT_FULL : EXIT_NOT_FULL;
}

int verb_doctor(int argc, char **argv)
{
    struct options o = {.executor = 0};
    int status;
    if (verb_parse(&doctor_verb, argc, argv, &o, &status) < 0)
        return status;
    return o.executor ? on_node(&o) : here(&o);
}
