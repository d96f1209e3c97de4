/*
 * batch.h: a roster's submissions, as one task each
 *
 * The batch decides what is graded and keeps the results; an executor decides
 * where and when it runs. They communicate through the spool, a folder next to
 * the ledger:
 *
 *     NAME.sub    the submission's bytes; NAME is the student's key @ attempt
 *     NAME.json   its result, either complete or absent
 *     NAME.err    error output of `grade run` itself
 *     NAME.work   its work folder; can be deleted
 *     objects     objects of the kit's own files, for local runs (objects.h)
 *
 * Only the batch writes to the ledger. It can be killed at any time: entries in
 * the ledger stay, results in the spool that belong to a task are taken, and
 * the rest is graded. Seeds follow from the batch's seed, the student, the lab
 * and the attempt, so the grade doesn't depend on which of these happened.
 */
#ifndef GRADER_BATCH_H
#define GRADER_BATCH_H

#include <jansson.h>
#include <limits.h>

#include "grader/batch/progress.h"
#include "grader/intake/roster.h"
#include "grader/intake/submission.h"
#include "grader/ledger/ledger.h"

enum only { ONLY_NEW, ONLY_FAILED, ONLY_LATEST, ONLY_BEST };
enum executor { BY_LOCAL, BY_SLURM };
enum task_state { TASK_WAITING, TASK_RUNNING, TASK_DONE };

struct task {
    const struct submission *submission;
    char name[96];
    char digest[LEDGER_DIGEST];
    uint64_t seed;
    enum task_state state;
    int fresh;              /* 1 if these bytes were never graded */
    int tries;              /* how often it has been started */
    uint64_t not_before_ms; /* after an infra, when to try again, by the
                               steady clock */
};

struct batch_options {
    const char *roster, *submissions, *ledger, *key, *lab, *spool, *config,
        *timezone, *gpu;
    int only;     /* enum only */
    int executor; /* enum executor */
    int jobs, isolation, retries;
    const char *seed; /* hexadecimal; may be NULL */
};

struct batch {
    const struct batch_options *o;
    char lab[64];
    char timezone[64]; /* zone of times without one; "": UTC */
    char self[PATH_MAX], spool[PATH_MAX];
    char kit[PATH_MAX];     /* root of the kit */
    char objects[PATH_MAX]; /* folder in the spool while the batch runs
                               (objects.h) */
    json_t *versions;       /* versions of what grades, stored with each entry
                               of the ledger */
    struct plan *plan;
    struct roster *roster;
    struct submissions *submissions;
    struct ledger *ledger;
    unsigned char seed[32];
    struct task *task;
    int ntasks;
    struct progress progress;
    int lock;     /* lock on the spool: one batch at a time */
    int stopping; /* don't start anything new */
    char err[1024];
};

/* Open a batch. Returns 0, or -1 with the reason in err. Call batch_release()
 * in either case. */
int batch_open(struct batch *b, const struct batch_options *o);
void batch_release(struct batch *b);

/* A path in the spool. */
void batch_path(const struct batch *b, const struct task *t, const char *suffix,
                char out[PATH_MAX]);

/* Put the submission's bytes into the spool. Returns 0, or -1 with err. */
int batch_stage(struct batch *b, struct task *t);

/* A task that can be started now, or NULL. */
struct task *batch_next(struct batch *b);

/* The number of tasks that are not done. */
int batch_left(const struct batch *b);

/*
 * A task has ended, or may have: take its result into the ledger. If there is
 * no result, `why` says what happened to the task, which is infra; if why is
 * NULL, the task stays as it is. The task is then done, or after infra waits
 * for another try. Returns -1 if the ledger cannot be written, or if the plan
 * was edited since the batch began (the result is dropped, as its plan is
 * unknown); that ends the batch.
 */
int batch_take(struct batch *b, struct task *t, const char *why);

/* Run until no task is left or b->stopping is set. Both return -1 with
 * err on failure. */
int executor_local(struct batch *b);
int executor_slurm(struct batch *b);

#endif
