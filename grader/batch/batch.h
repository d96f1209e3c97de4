/*
 * batch.h: a roster's submissions, one task each
 *
 * The batch decides what is graded and keeps the results; an executor decides
 * where and when it runs. Between them is the spool, a folder beside the
 * ledger:
 *
 *     NAME.sub    the submission's bytes; NAME is the student's key @ attempt
 *     NAME.json   its result, whole or not there
 *     NAME.err    what `grade run` itself complained of
 *     NAME.work   where it works; nothing of worth
 *     objects     of the kit's own files, for local runs (objects.h)
 *
 * Only the batch writes to the ledger. It can be killed at any time: what is in
 * the ledger stays, what is in the spool and belongs to a task is taken, the
 * rest is graded. Seeds follow from the batch's seed, the student, the lab and
 * the attempt, so that it doesn't matter which of the three it was.
 */
#ifndef GRADER_BATCH_H
#define GRADER_BATCH_H

#include <jansson.h>
#include <limits.h>

#include "ledger.h"
#include "progress.h"
#include "roster.h"
#include "submission.h"

enum only { ONLY_NEW, ONLY_FAILED, ONLY_LATEST, ONLY_BEST };
enum executor { BY_LOCAL, BY_SLURM };
enum task_state { TASK_WAITING, TASK_RUNNING, TASK_DONE };

struct task {
    const struct submission *submission;
    char name[96];
    char digest[LEDGER_DIGEST];
    uint64_t seed;
    enum task_state state;
    int tries;              /* how often it was started */
    uint64_t not_before_ms; /* after an infra, it waits; by the steady clock */
};

struct batch_options {
    const char *roster, *submissions, *ledger, *key, *lab, *spool, *config,
        *timezone, *gpu;
    int only;     /* enum only */
    int executor; /* enum executor */
    int jobs, isolation, retries;
    const char *seed; /* hexadecimal, or NULL */
};

struct batch {
    const struct batch_options *o;
    char lab[64];
    char timezone[64]; /* of times without one; "": UTC */
    char self[PATH_MAX], spool[PATH_MAX];
    char objects[PATH_MAX]; /* in it, while the batch is at work (objects.h) */
    json_t *versions;       /* what grades: with each entry of the ledger */
    struct plan *plan;
    struct roster *roster;
    struct submissions *submissions;
    struct ledger *ledger;
    unsigned char seed[32];
    struct task *task;
    int ntasks;
    struct progress progress;
    int lock;     /* of the spool: one batch at a time */
    int stopping; /* nothing new is to be started */
    char err[1024];
};

/* 0, or -1 with the reason in err; then release in either case. */
int batch_open(struct batch *b, const struct batch_options *o);
void batch_release(struct batch *b);

/* A path in the spool. */
void batch_path(const struct batch *b, const struct task *t, const char *suffix,
                char out[PATH_MAX]);

/* Put the submission's bytes there; -1 with err. */
int batch_stage(struct batch *b, struct task *t);

/* A task that can be started now, or NULL. */
struct task *batch_next(struct batch *b);

/* How many are not done. */
int batch_left(const struct batch *b);

/*
 * A task has ended, or may have: take its result into the ledger. With none
 * there, `why` (not NULL) says what became of it: that is infra; with why NULL
 * it is left as it is. The task is done, or, after infra, waits for another
 * try. Returns -1 when the ledger cannot be written: stop.
 */
int batch_take(struct batch *b, struct task *t, const char *why);

/* Each runs until nothing is left or b->stopping; -1 with err. */
int executor_local(struct batch *b);
int executor_slurm(struct batch *b);

#endif
