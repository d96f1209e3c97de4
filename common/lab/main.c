/*
 * main.c: the program of every lab
 *
 *     mpirun -n 4 build/lab1 [--case NAME] [--seed S] ...
 *
 * runs the plan's visible cases, judges them in this process, and prints a
 * table. Started by the grader (COMMLAB_JOB names a folder), it runs the cases
 * of the job and only records evidence. Exit status: 0 for full points, 1 for
 * fewer, 2 for wrong usage.
 */
#define _GNU_SOURCE
#include <errno.h>  /* program_invocation_name */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strcmp */

#include "base/must.h"
#include "lab/job.h"
#include "lab/kit.h"
#include "lab/questions.h"
#include "lab/supervise.h"
#include "lab/visible.h"
#include "lab/warden.h"

enum { EXIT_FULL = 0, EXIT_NOT_FULL = 1, EXIT_USAGE = 2, MAX_ARGS = 256 };

static void usage(void)
{
    printf(
        "%s: %s\n\n"
        "usage: mpirun -n RANKS %s [options]\n\n"
        "  --list            the cases and their points\n"
        "  --questions       the questions of answers.txt, with your "
        "numbers\n"
        "  --case NAME       only this case; may be repeated, or a list: "
        "A,B\n"
        "  --seed S          seed of the inputs (default %d)\n"
        "  --key K           the inputs of a grading, as its \"again:\" line "
        "says\n"
        "  --json [FILE]     print results as JSON instead of a table\n"
        "  --iterations N    runs of each case (default 2)\n"
        "  --warmup N        runs before them that don't count "
        "(default 0)\n"
        "  --hidden          also the hidden cases, if their plan is "
        "here\n"
        "  --times           the timed cases' times, in the form of `make "
        "plans`\n"
        "  --help            this text\n",
        lab.name, lab.brief, program_invocation_name, OPTIONS_DEFAULT_SEED);
    for (const struct lab_command *c = lab.commands; c && c->option; c++)
        printf("  %-17s %s\n", c->option, c->help);
    printf("\nExit status: 0 all points, 1 fewer, 2 usage.\n");
}

/* Print one line for each run that timed cases need: ranks and machine. */
static void list_jobs(const struct plan *p, int hidden)
{
    char seen[64][128];
    int n = 0;
    for (int i = 0; i < p->ncases; i++) {
        const struct plan_case *const c = &p->cases[i];
        for (int k = 0; c->timed && c->hidden == hidden && k < c->nranks; k++) {
            char job[128];
            int at = 0;
            snprintf(job, sizeof job, "%d %s", c->ranks[k], c->topo);
            while (at < n && strcmp(seen[at], job) != 0)
                at++;
            if (at < n || n == 64)
                continue;
            memcpy(seen[n++], job, sizeof job);
            puts(job);
        }
    }
}

static void list(const struct plan *p)
{
    for (int i = 0; i < p->ncases; i++)
        printf("part %d  %-30s %g points\n", p->cases[i].part, p->cases[i].name,
               p->cases[i].points);
}

/* Print an error, on one rank only. Returns EXIT_USAGE. */
static int wrong(int rank, const char *what)
{
    if (rank == 0)
        fprintf(stderr, "%s: %s (--help lists the options)\n", lab.name, what);
    return EXIT_USAGE;
}

/*
 * If the program was started by another MPI's mpirun, every process is alone in
 * its MPI world. That must not count as a pass.
 */
static int alone_by_mistake(int nranks)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE",
                                         "SLURM_NTASKS"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (getenv(counts[i]) && atoi(getenv(counts[i])) > 1)
            name = counts[i];
    if (getenv("PMIX_RANK"))
        name = "PMIX_RANK";
    if (nranks > 1 || !name)
        return 0;
    fprintf(stderr,
            "%s: this process is alone in its MPI world, but %s=%s says that "
            "several were started.\nThe mpirun that started it belongs to "
            "another MPI: use MPICH's (mpirun.mpich on Debian).\n",
            lab.name, name, getenv(name));
    return 1;
}

static struct plan *load_plan(const struct lab_options *o, char *err,
                              size_t err_nbytes)
{
    char dir[PATH_MAX + 32], path[2 * PATH_MAX], hidden[2 * PATH_MAX];
    if (kit_plans(dir, sizeof dir) != 0) {
        snprintf(err, err_nbytes,
                 "no grader/plans/%s.yaml above this program: run it in the "
                 "kit's build folder, or set COMMLAB_PLANS",
                 lab.name);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/%s.yaml", dir, lab.name);
    snprintf(hidden, sizeof hidden, "%s/hidden/%s.yaml", dir, lab.name);
    struct plan *const p =
        plan_load(path, o->hidden ? hidden : NULL, err, err_nbytes);
    if (!p || o->times || plan_check_times(p, err, err_nbytes) == 0)
        return p;
    plan_free(p);
    return NULL;
}

/* Run the visible cases. All ranks return the same. */
static int do_cases(struct lab_run *r, const struct lab_options *o,
                    const struct plan *p)
{
    if (run_setup(r, MPI_COMM_WORLD) != 0)
        return EXIT_USAGE;
    const enum visible_end end = visible_run(r, o, p);
    if (end == VISIBLE_STUCK) { // cleaning up would block
        MPI_Finalize();
        exit(EXIT_NOT_FULL);
    }
    run_teardown(r);
    return end == VISIBLE_FULL ? EXIT_FULL : EXIT_NOT_FULL;
}

static int do_command(struct lab_run *r, const struct lab_command *c, int argc,
                      char **argv)
{
    if (alone_by_mistake(r->nranks) || run_setup(r, MPI_COMM_WORLD) != 0)
        return EXIT_USAGE;
    const int status = run_command(r, c, argc, argv);
    lab_free_buffers();
    run_teardown(r);
    return status;
}

static int do_options(struct lab_run *r, int argc, char **argv)
{
    struct lab_options o;
    char err[512];
    if (options_parse(&o, argc, argv, err, sizeof err) != 0)
        return wrong(r->rank, err);
    if (o.help) {
        if (r->rank == 0)
            usage();
        return EXIT_FULL;
    }
    struct plan *const p = load_plan(&o, err, sizeof err);
    int status = EXIT_FULL;
    if (!p || options_check(&o, p, err, sizeof err) != 0)
        status = wrong(r->rank, err);
    else if (o.list && o.times && r->rank == 0)
        list_jobs(p, o.hidden);
    else if (o.list && r->rank == 0)
        list(p);
    else if (o.questions && r->rank == 0)
        status = questions_print(p) == 0 ? EXIT_FULL : EXIT_USAGE;
    else if (!o.list && !o.questions)
        status = alone_by_mistake(r->nranks) ? EXIT_USAGE : do_cases(r, &o, p);
    plan_free(p);
    return status;
}

static const struct lab_command *find_command(const char *option)
{
    for (const struct lab_command *c = lab.commands; c && c->option; c++)
        if (option && strcmp(c->option, option) == 0)
            return c;
    return NULL;
}

/* Supervise the cases if the command line is valid and asks for cases. Called
 * before MPI_Init(). */
static void supervise_cases(int argc, char **argv)
{
    struct lab_options o;
    char err[512], *copy[MAX_ARGS + 1] = {NULL};
    for (int i = 0; i < argc && i < MAX_ARGS; i++)
        // getopt_long() and strtok_r() change the texts
        copy[i] = strdup(argv[i]);
    if (argc > MAX_ARGS || options_parse(&o, argc, copy, err, sizeof err) != 0)
        return;
    if (o.help || o.list || o.questions)
        return;
    struct plan *const p = load_plan(&o, err, sizeof err);
    if (p && options_check(&o, p, err, sizeof err) == 0)
        supervise(argv, &o, p);
    plan_free(p);
}

/* The size from which on this run's device memory needs no contents; NULL if
 * all of it does. */
static const char *dataless(int argc, char **argv)
{
    const int is_command = find_command(argv[1]) && lab.dataless_for;
    return is_command ? lab.dataless_for(argc - 1, argv + 1) : lab.dataless;
}

int main(int argc, char **argv)
{
    struct lab_run r = {0};
    const char *const job = getenv("COMMLAB_JOB");
    if (job)
        warden_start(job);
    if (supervise_applies() && !find_command(argv[1]))
        supervise_cases(argc, argv);
    if (dataless(argc, argv))
        setenv("SIMGPU_DATALESS", dataless(argc, argv), 0);
    setenv("SIMGPU_CORES", "1", 1); // a race has the same result every time
    // reading memory that was never written must fail on every machine
    setenv("SIMGPU_FILL", "poison", 0);
    // a kernel's mistake ends the run, so the verdict has the report
    setenv("SIMGPU_FAIL", "end", 1);
    // code that forgot to wait fails here as it does in the grader
    if (!find_command(argv[1]))
        setenv("SIMGPU_SCHEDULE", PLAN_SCHEDULE, 0);
    // A GPU loads a kernel when it is first launched, and loading may wait for
    // running kernels. If one of those waits for the new kernel, that is a
    // deadlock.
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    MPI_MUST(MPI_Init(&argc, &argv));
    MPI_MUST(MPI_Comm_rank(MPI_COMM_WORLD, &r.rank));
    MPI_MUST(MPI_Comm_size(MPI_COMM_WORLD, &r.nranks));

    const struct lab_command *const command = find_command(argv[1]);
    const int status = job       ? job_run(&r, job)
                       : command ? do_command(&r, command, argc - 1, argv + 1)
                                 : do_options(&r, argc, argv);
    MPI_Finalize();
    return status;
}
