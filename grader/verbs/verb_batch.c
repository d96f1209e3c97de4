/*
 * verb_batch.c: grade batch
 *
 * Exit status: 0 all graded, 1 interrupted, 2 usage, 3 some are infra, or the
 * ledger could not be written.
 */
#include <stdio.h>  /* printf */
#include <unistd.h> /* sysconf */

#include "grader/batch/batch.h"
#include "grader/sandbox/sandbox.h"
#include "grader/verbs/verbs.h"

#define AT(member) offsetof(struct batch_options, member)
static const char *const executors[] = {"local", "slurm", NULL};
static const char *const which[] = {"new", "failed", "latest", "best", NULL};
static const struct verb_option known[] = {
    VERB_OPTION(VERB_TEXT, "roster", "FILE", AT(roster),
                "CSV with student, and name, email, section, id, sis_id,\n"
                "github, group, deadline (or deadline:lab2), submitted (of\n"
                "attempt 1), submitted@2 ..., late_days; # begins others",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "submissions", "DIR", AT(submissions),
                "a folder or an archive for each student", .required = 1),
    VERB_OPTION(VERB_TEXT, "ledger", "FILE", AT(ledger),
                "SQLite; made if there is none, with a key (grade key)",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "lab", "LAB", AT(lab), "lab1, or its full name",
                .required = 1),
    VERB_OPTION(VERB_TEXT, "key", "FILE", AT(key),
                "the ledger's key, if it is elsewhere"),
    VERB_OPTION(VERB_NUMBER, "jobs", "N", AT(jobs),
                "submissions at a time (default: half the cores)",
                .letter = 'j', .least = 1, .most = 1024),
    VERB_OPTION(VERB_WORD, "only", "WHICH", AT(only),
                "failed: regrade those that did not pass; latest: each\n"
                "student's latest attempt; best: regrade each one's best",
                .words = which),
    VERB_OPTION(VERB_NUMBER, "isolation", "N", AT(isolation),
                "0 to 3 (default 2), see grade run --help",
                .most = SANDBOX_MAX_LEVEL),
    VERB_OPTION(VERB_NUMBER, "retries", "N", AT(retries),
                "how often to retry after infra (default 2)", .most = 10),
    VERB_OPTION(VERB_TEXT, "seed", "HEX", AT(seed),
                "64 digits, instead of a secret seed"),
    VERB_OPTION(VERB_WORD, "executor", "NAME", AT(executor),
                "local (default) or slurm", .words = executors),
    VERB_OPTION(VERB_TEXT, "config", "FILE", AT(config),
                "for slurm: YAML with account, partition, gpus, time,\n"
                "per_job, setup ... (grader/batch/slurm_config.h)"),
    VERB_OPTION(VERB_TEXT, "gpu", "NAME", AT(gpu),
                "for slurm: which of the config's partitions"),
    VERB_OPTION(VERB_TEXT, "timezone", "ZONE", AT(timezone),
                "of the roster's times without one (default: that of the\n"
                "ledger's last batch, or the plan's, or UTC): Europe/Berlin"),
    VERB_OPTION(VERB_TEXT, "spool", "DIR", AT(spool),
                "where results wait (default: LEDGER.spool; for slurm, a\n"
                "folder that all nodes see)"),
    {.name = NULL}};
static const struct verb batch_verb = {
    .name = "batch",
    .intro =
        "Grade what a roster's students handed in: a folder or an archive "
        "named after\neach student; later attempts end in @2, @3 ... What is "
        "in the ledger is not\ngraded again, so the same command resumes a "
        "batch that was interrupted or\nkilled.",
    .options = known,
    .outro = "Exit status: 0 all graded, 1 interrupted, 2 usage, 3 this "
             "machine's fault."};

static int run(struct batch *b)
{
    const struct student *const odd = roster_not_utf8(b->roster);
    if (odd)
        verb_wrong("batch", ROSTER_NOT_UTF8, b->o->roster, odd->key);
    if (b->submissions->nunknown)
        fprintf(stderr,
                "grade batch: %d names in %s are no students of the "
                "roster, among them \"%s\"\n",
                b->submissions->nunknown, b->o->submissions,
                b->submissions->unknown);
    const int nalike = submissions_same_time(b->submissions);
    if (nalike)
        fprintf(stderr,
                "grade batch: %d of %d submissions were written within a "
                "minute, as if that was when\nthey were downloaded: have the "
                "roster say when they were submitted\n",
                nalike, b->submissions->n);
    const int err =
        b->o->executor == BY_SLURM ? executor_slurm(b) : executor_local(b);
    progress_end(&b->progress);
    if (err != 0) {
        verb_wrong("batch", "%s", b->err);
        return EXIT_INFRA;
    }
    if (batch_left(b) > 0) {
        printf("interrupted: %d left; the same command goes on\n",
               batch_left(b));
        return EXIT_NOT_FULL;
    }
    return b->progress.outcomes.of[OUTCOME_INFRA] ? EXIT_INFRA : EXIT_FULL;
}

int verb_batch(int argc, char **argv)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct batch_options o = {.jobs = cores > 3 ? (int)(cores / 2) : 1,
                              .isolation = SANDBOX_LEVEL,
                              .retries = 2};
    struct batch b;
    int status;
    if (verb_parse(&batch_verb, argc, argv, &o, &status) < 0)
        return status;
    status = EXIT_USAGE;
    if (batch_open(&b, &o) != 0)
        verb_wrong("batch", "%s", b.err);
    else
        status = run(&b);
    batch_release(&b);
    return status;
}
