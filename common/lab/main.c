/*
 * main.c: the program of every lab
 *
 *     mpirun -n 4 build/lab1 [--case NAME]... [--seed S] ...
 *
 * runs the plan's visible cases, judges them here, and prints a table. Started
 * by the grader (COMMLAB_JOB names a directory) it runs what the job says and
 * only shows evidence. Exit status: 0 full points, 1 not, 2 usage.
 */
#define _GNU_SOURCE
#include <errno.h>  /* program_invocation_name */
#include <getopt.h> /* getopt_long */
#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* printf */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strcmp */
#include <unistd.h> /* readlink */

#include "judge/table.h"
#include "lab/job.h"
#include "lab/run.h"
#include "must.h"

enum { EXIT_NOT_FULL = 1, EXIT_USAGE = 2, MAX_CASES = 256 };

struct options {
    const char *cases[MAX_CASES];
    int ncases;
    uint64_t seed;
    int iterations, warmup, list;
};

static void usage(FILE *out)
{
    fprintf(out,
            "%s: %s\n\n"
            "usage: mpirun -n RANKS %s [options]\n\n"
            "  --list            the cases and their points\n"
            "  --case NAME       only this case (may be repeated)\n"
            "  --seed S          inputs from another seed (default 1)\n"
            "  --iterations N    runs of each case (default 2)\n"
            "  --warmup N        runs before them that don't count "
            "(default 0)\n"
            "  --help            this text\n",
            lab.name, lab.brief, program_invocation_name);
    for (const struct lab_command *c = lab.commands; c && c->option; c++)
        fprintf(out, "  %-17s %s\n", c->option, c->help);
}

/*
 * A program started by another MPI's mpirun finds itself alone in its world,
 * every copy of it. That must not read as a pass.
 */
static void check_launcher(int rank, int nranks)
{
    static const char *const others[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                         "SLURM_NTASKS"};
    (void)rank;
    for (size_t i = 0; i < sizeof others / sizeof *others && nranks == 1; i++) {
        const char *const value = getenv(others[i]);
        if (!value || (i != 1 && atoi(value) <= 1))
            continue;
        fprintf(stderr,
                "%s: this process is alone in its MPI world, but %s=%s says "
                "that several were started.\nThe mpirun that started it "
                "belongs to another MPI: use MPICH's (mpirun.mpich on "
                "Debian).\n",
                lab.name, others[i], value);
        MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
    }
}

/* BUILD/../grader/plans/NAME.yaml, from where this program is. */
static struct plan *load_plan(int rank)
{
    char path[PATH_MAX + 64] = ".", err[512];
    const char *const dir = getenv("COMMLAB_PLANS");
    char self[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    // the plans are beside a folder above the program
    for (char *slash; !dir && (slash = strrchr(self, '/')) != NULL;) {
        *slash = 0;
        snprintf(path, sizeof path, "%s/grader/plans/%s.yaml", self, lab.name);
        if (access(path, R_OK) == 0)
            break;
    }
    if (dir)
        snprintf(path, sizeof path, "%s/%s.yaml", dir, lab.name);
    struct plan *const p = plan_load(path, NULL, err, sizeof err);
    if (!p) {
        if (rank == 0)
            fprintf(stderr, "%s: %s\n", lab.name, err);
        MPI_Finalize();
        exit(EXIT_USAGE);
    }
    return p;
}

static int wrong(int rank, const char *format, const char *value)
{
    if (rank == 0) {
        fprintf(stderr, "%s: ", lab.name);
        fprintf(stderr, format, value);
        fprintf(stderr, " (--help lists the options)\n");
    }
    return -1;
}

static int parse(int argc, char **argv, struct options *o, int rank)
{
    static const struct option known[] = {
        {"list", 0, NULL, 'l'},   {"case", 1, NULL, 'c'},
        {"seed", 1, NULL, 's'},   {"iterations", 1, NULL, 'i'},
        {"warmup", 1, NULL, 'w'}, {"help", 0, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    opterr = 0;
    for (int k; (k = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        char *end = "";
        if (k == 'l')
            o->list = 1;
        else if (k == 'c' && o->ncases < MAX_CASES)
            o->cases[o->ncases++] = optarg;
        else if (k == 's')
            o->seed = strtoull(optarg, &end, 0);
        else if (k == 'i')
            o->iterations = (int)strtol(optarg, &end, 10);
        else if (k == 'w')
            o->warmup = (int)strtol(optarg, &end, 10);
        else if (k == 'h') {
            if (rank == 0)
                usage(stdout);
            return 1;
        } else
            return wrong(rank, "%s is no option, or lacks its value",
                         argv[optind - 1]);
        if (*end || o->iterations < 1 || o->iterations > 64 || o->warmup < 0)
            return wrong(rank, "%s is not a number that makes sense here",
                         optarg);
    }
    return optind < argc ? wrong(rank, "what is \"%s\"?", argv[optind]) : 0;
}

static int check_names(const struct options *o, const struct plan *p, int rank)
{
    for (int i = 0; i < o->ncases; i++)
        if (!plan_find(p, o->cases[i]))
            return wrong(rank, "there is no case \"%s\": --list shows them",
                         o->cases[i]);
    return 0;
}

static int wanted(const struct options *o, const char *name)
{
    for (int i = 0; i < o->ncases; i++)
        if (strcmp(o->cases[i], name) == 0)
            return 1;
    return o->ncases == 0;
}

static void list(const struct plan *p)
{
    for (int i = 0; i < p->ncases; i++)
        printf("part %d  %-30s %g points\n", p->cases[i].part, p->cases[i].name,
               p->cases[i].points);
}

/* Rank 0 judges a case that has just been run. Returns the points. */
static double judge(const struct lab_run *r, const struct options *o,
                    const struct plan_case *c, unsigned case_no,
                    const char *dir, uint64_t nonce)
{
    char format[PATH_MAX], rerun[512];
    uint64_t seeds[1024];
    const uint64_t seed = judge_case_seed(o->seed, c->name);
    for (int i = 0; i < r->nranks && i < 1024; i++)
        seeds[i] = judge_seed(seed, (uint64_t)i);
    snprintf(format, sizeof format, "%s/rank-%%d", dir);
    struct evidence *const e = evidence_load(format, r->nranks, nonce);
    const struct judge_task t = {c,     case_no, r->nranks, o->iterations,
                                 seeds, e};
    struct judge_verdict v;
    judge_case(judge_labs[0], &t, &v);
    snprintf(rerun, sizeof rerun, "mpirun -n %d %s --case %s --seed %llu",
             r->nranks, program_invocation_name, c->name,
             (unsigned long long)o->seed);
    table_row(stdout, c, &v, rerun);
    fflush(stdout);
    evidence_free(e);
    return v.pass ? c->points : 0;
}

/* Run and judge one case: evidence in a file per rank, as for the grader. */
static double do_case(struct lab_run *r, const struct options *o,
                      const struct plan_case *c, unsigned case_no,
                      const char *dir)
{
    char path[PATH_MAX];
    const uint64_t nonce = o->seed, seed = judge_case_seed(o->seed, c->name);
    double points = 0;
    snprintf(path, sizeof path, "%s/rank-%d", dir, r->rank);
    r->evidence = evidence_create(path, nonce);
    if (!r->evidence)
        must_stop(__FILE__, __LINE__, path, strerror(errno));
    run_case(r, c, case_no, judge_seed(seed, (uint64_t)r->rank), o->iterations,
             o->warmup);
    if (evidence_finish(r->evidence) != 0)
        must_stop(__FILE__, __LINE__, path, strerror(errno));
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    if (r->rank == 0)
        points = judge(r, o, c, case_no, dir, nonce);
    MPI_MUST(MPI_Barrier(r->mpi_comm));
    unlink(path);
    return points;
}

/* All wanted cases. Returns whether all points were earned, on every rank. */
static int do_cases(struct lab_run *r, const struct options *o,
                    const struct plan *p)
{
    char dir[] = "/tmp/commlab-XXXXXX";
    double points = 0, most = 0;
    if (r->rank == 0) {
        char title[256];
        if (!mkdtemp(dir))
            must_stop(__FILE__, __LINE__, dir, strerror(errno));
        snprintf(title, sizeof title, "%s (%s), %d ranks, seed %llu", p->title,
                 lab.name, r->nranks, (unsigned long long)o->seed);
        table_head(stdout, title);
    }
    MPI_MUST(MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, r->mpi_comm));
    for (int i = 0; i < p->ncases; i++) {
        if (!wanted(o, p->cases[i].name))
            continue;
        points += do_case(r, o, &p->cases[i], (unsigned)i, dir);
        most += p->cases[i].points;
    }
    int full = points >= most;
    if (r->rank == 0) {
        table_total(stdout, points, most);
        rmdir(dir);
    }
    MPI_MUST(MPI_Bcast(&full, 1, MPI_INT, 0, r->mpi_comm));
    return full;
}

int main(int argc, char **argv)
{
    struct lab_run r = {0};
    struct options o = {.seed = 1, .iterations = 2};
    MPI_MUST(MPI_Init(&argc, &argv));
    MPI_MUST(MPI_Comm_rank(MPI_COMM_WORLD, &r.rank));
    MPI_MUST(MPI_Comm_size(MPI_COMM_WORLD, &r.nranks));
    check_launcher(r.rank, r.nranks);
    int status = EXIT_SUCCESS;
    const char *const job = getenv("COMMLAB_JOB");
    const struct lab_command *command = lab.commands;
    while (command && command->option &&
           (argc < 2 || strcmp(argv[1], command->option) != 0))
        command++;
    if (job) {
        status = job_run(&r, job);
    } else if (command && command->option) {
        run_setup(&r, MPI_COMM_WORLD);
        status = command->run(&r, argc - 1, argv + 1);
        run_teardown(&r);
    } else {
        const int parsed = parse(argc, argv, &o, r.rank);
        struct plan *const p = parsed == 0 ? load_plan(r.rank) : NULL;
        if (parsed < 0 || (p && check_names(&o, p, r.rank) != 0)) {
            status = EXIT_USAGE;
        } else if (p && o.list) {
            if (r.rank == 0)
                list(p);
        } else if (p) {
            run_setup(&r, MPI_COMM_WORLD);
            status = do_cases(&r, &o, p) ? EXIT_SUCCESS : EXIT_NOT_FULL;
            run_teardown(&r);
        }
        plan_free(p);
    }
    MPI_Finalize();
    return status;
}
