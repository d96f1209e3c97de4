/*
 * grade.h: one submission, from a folder to points
 *
 *   intake   take the plan's files from the folder or archive, nothing else
 *   build    compile them in the sandbox, link them with the kit's own objects
 *   run      start the ranks in the sandbox, with a job and evidence files
 *   judge    here, after the ranks are gone
 *
 * What a submission does wrong costs its own cases; what this machine does
 * wrong is `infra` and never costs points.
 */
#ifndef GRADER_GRADE_H
#define GRADER_GRADE_H

#include <limits.h> /* PATH_MAX */

#include "backend.h"
#include "judge/judge.h"
#include "log.h"
#include "sandbox.h"

enum outcome { OUTCOME_PASS, OUTCOME_FAIL, OUTCOME_INFRA, OUTCOME_SUSPECTED };
extern const char *const outcome_name[];

struct result { /* of one case, over all its rank counts */
    struct judge_verdict verdict;
    enum outcome outcome;
    double score;
    int ranks; /* rank count of the verdict that is shown */
    int judged;
};

struct grade {
    /* what was asked for */
    const char *lab_arg, *dir, *json, *only_case, *schedule, *backend;
    int measured;         /* take simgpu for a machine of its own (backend.h) */
    int timeline;         /* one is to be in the JSON */
    const char *work_arg; /* where to work, or NULL: in /tmp */
    int quiet;            /* no table */
    int isolation;        /* level (sandbox.h) */
    uint64_t seed;
    int seed_given;
    /* where things are */
    char kit[PATH_MAX];   /* root of the kit */
    char build[PATH_MAX]; /* its build folder, which this program is in */
    struct machine machine;
    char work[PATH_MAX]; /* this grading's own folder, removed afterwards */
    char tmp[PATH_MAX + 8];
    char lab[64];         /* "lab1-collectives" */
    char staff[PATH_MAX]; /* pristine folder of the lab */
    struct plan *plan;
    const struct judge_lab *judge;
    /* what came out */
    struct result *result; /* one for each case of the plan */
    enum outcome outcome;
    double score, max_score;
    char message[1024]; /* why nothing could be judged, "" otherwise */
    char missing[128];  /* limits that could not be set, or "" */
    double sec;         /* how long it took */
    int nskipped;       /* cases that this machine cannot run */
    char *svg;          /* the timeline, or NULL */
    json_t *clocks[2];  /* of GPUs, before and after; NULL when modelled */
    struct log log;     /* what was printed, by compilers and runs */
};

/*
 * Grade a submission whose kit was found: intake to judge, in a work folder that
 * is gone afterwards. What becomes of it is in outcome, score, message.
 */
void grade_submission(struct grade *g);

/* Take the next name off a list "A,B"; 0 at its end. */
enum { GRADE_NAME = 128 };
int grade_next_name(const char **list, char name[GRADE_NAME]);

/* Each returns 0, or -1 having set outcome and message. */
int grade_find_kit(struct grade *g);
int grade_intake(struct grade *g);
int grade_build(struct grade *g);
int grade_run(struct grade *g);

void grade_report(const struct grade *g);    /* the table, on stdout */
int grade_write_json(const struct grade *g); /* -1 with a message printed */

/* Note how a sandbox ended, in the log; -1 with OUTCOME_INFRA when it is this
 * machine's fault. */
int grade_ran(struct grade *g, const char *what, const struct sandbox_end *end);

/* Set outcome and message; returns -1. */
int grade_stop(struct grade *g, enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
