/*
 * verb_batch.c: grade batch
 *
 * Exit status: 0 all graded, 1 interrupted, 2 usage, 3 some are infra, or the
 * ledger could not be written.
 */
#include <getopt.h> /* getopt_long */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <unistd.h> /* sysconf */

#include "batch.h"
#include "sandbox.h"
#include "verb.h"

static int usage(FILE *out)
{
    fprintf(
        out,
        "usage: grade batch --roster FILE --submissions DIR --ledger FILE "
        "--lab LAB [options]\n\n"
        "Grade what a roster's students handed in: in DIR, a folder or an "
        "archive named\nafter each student; later attempts end in @2, @3 ... "
        "What the ledger has already is\nnot graded again, so a batch that was "
        "interrupted or killed goes on.\n\n"
        "  --roster FILE     CSV with student, and name, email, section, id, "
        "sis_id,\n"
        "                    deadline (or deadline:lab2), submitted, "
        "late_days\n"
        "  --submissions DIR\n"
        "  --ledger FILE     SQLite; made if need be, with FILE.key\n"
        "  --key FILE        the ledger's key, elsewhere\n"
        "  --lab LAB         lab1, or its full name\n"
        "  -j, --jobs N      submissions at a time (default: half the cores)\n"
        "  --only WHICH      failed: again those that did not pass; latest: "
        "each one's\n"
        "                    latest attempt; best: again each one's best\n"
        "  --isolation N     0 to 3 (default 2), as grade run has it\n"
        "  --retries N       tries after infra (default 2)\n"
        "  --seed HEX        64 digits, not secret ones of its own\n"
        "  --executor NAME   local (default) or slurm\n"
        "  --config FILE     for slurm: YAML with account, partition, gpus, "
        "time,\n"
        "                    per_job, at_once\n"
        "  --spool DIR       where results wait (default: LEDGER.spool; for "
        "slurm, a\n"
        "                    folder that all nodes see)\n\n"
        "Exit status: 0 all graded, 1 interrupted, 2 usage, 3 this machine's "
        "fault.\n");
    return out == stdout ? EXIT_FULL : EXIT_USAGE;
}

static const struct option known[] = {
    {"roster", 1, NULL, 'r'},   {"submissions", 1, NULL, 'd'},
    {"ledger", 1, NULL, 'l'},   {"key", 1, NULL, 'k'},
    {"lab", 1, NULL, 'L'},      {"jobs", 1, NULL, 'j'},
    {"only", 1, NULL, 'o'},     {"isolation", 1, NULL, 'i'},
    {"retries", 1, NULL, 't'},  {"seed", 1, NULL, 's'},
    {"executor", 1, NULL, 'e'}, {"config", 1, NULL, 'c'},
    {"spool", 1, NULL, 'p'},    {"help", 0, NULL, 'h'},
    {NULL, 0, NULL, 0}};

static int take_only(const char *name, enum only *only)
{
    static const char *const names[] = {"new", "failed", "latest", "best"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *only = (enum only)i;
            return 0;
        }
    return -1;
}

/* One option; -1 when it is wrong, 1 for --help. */
static int take(struct batch_options *o, int k)
{
    switch (k) {
    case 'r': o->roster = optarg; return 0;
    case 'd': o->submissions = optarg; return 0;
    case 'l': o->ledger = optarg; return 0;
    case 'k': o->key = optarg; return 0;
    case 'L': o->lab = optarg; return 0;
    case 's': o->seed = optarg; return 0;
    case 'c': o->config = optarg; return 0;
    case 'p': o->spool = optarg; return 0;
    case 'e': o->executor = optarg; return 0;
    case 'o': return take_only(optarg, &o->only);
    case 'j': return verb_number(optarg, 1, 1024, &o->jobs);
    case 'i': return verb_number(optarg, 0, SANDBOX_MAX_LEVEL, &o->isolation);
    case 't': return verb_number(optarg, 0, 10, &o->retries);
    default: return k == 'h' ? 1 : -1;
    }
}

static int parse(int argc, char **argv, struct batch_options *o)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    *o = (struct batch_options){.jobs = cores > 3 ? (int)(cores / 2) : 1,
                                .isolation = SANDBOX_LEVEL,
                                .retries = 2,
                                .executor = "local"};
    for (int k; (k = getopt_long(argc, argv, "j:", known, NULL)) != -1;) {
        const int taken = take(o, k);
        if (taken < 0 && k != '?')
            verb_wrong("batch", "%s is not what %s takes", optarg,
                       argv[optind - 2]);
        if (taken != 0)
            return taken;
    }
    if (o->roster && o->submissions && o->ledger && o->lab && optind == argc &&
        (!strcmp(o->executor, "local") || !strcmp(o->executor, "slurm")))
        return 0;
    verb_wrong("batch", "needs --roster, --submissions, --ledger, --lab; "
                        "an executor is local or slurm");
    return -1;
}

static int run(struct batch *b)
{
    if (b->submissions->nunknown)
        fprintf(stderr,
                "grade batch: %d names in %s are no students of the "
                "roster, among them \"%s\"\n",
                b->submissions->nunknown, b->o->submissions,
                b->submissions->unknown);
    const int err = strcmp(b->o->executor, "slurm") == 0 ? executor_slurm(b)
                                                         : executor_local(b);
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
    return b->progress.outcomes[2] ? EXIT_INFRA : EXIT_FULL;
}

int verb_batch(int argc, char **argv)
{
    struct batch_options o;
    static struct batch b;
    const int parsed = parse(argc, argv, &o);
    if (parsed != 0)
        return usage(parsed > 0 ? stdout : stderr);
    int status = EXIT_USAGE;
    if (batch_open(&b, &o) != 0)
        verb_wrong("batch", "%s", b.err);
    else
        status = run(&b);
    batch_release(&b);
    return status;
}
