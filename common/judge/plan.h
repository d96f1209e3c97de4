/*
 * plan.h: a lab's plan
 *
 * grader/plans/LAB.yaml lists the files that students may edit, and the cases
 * with their points, ranks and parameters; grader/plans/hidden/LAB.yaml adds
 * cases that only the grader knows. The runner, the grader and the tests share
 * one reader. Errors name file, line and key.
 *
 *     lab: lab1-collectives
 *     title: Collectives
 *     files: [p2p.c, allreduce.c]      # the files of a submission
 *     ranks: [4]                       # default ranks when grading
 *     idea:                            # one sentence for each part
 *       2: A tree doubles the ranks that have the data in each step.
 *     cases:
 *       - name: broadcast-odd
 *         part: 2
 *         points: 2
 *         kind: broadcast              # in the lab's judge and run tables
 *         with: {count: 1003, type: int32, root: 1}
 *         ranks: [3, 4]                # all must pass to earn points
 *       - name: ring-large
 *         ...
 *         timed: 1                     # also scored by time (points.h)
 *         topo: dgx-h100               # the modelled machine
 *
 * Questions (answers.h) contain `numbers` that are drawn for each student
 * (numbers.h). The right answers are formulas over them in the hidden plan,
 * listed by question, so only the grader knows them:
 *
 *     answers: {ring_floor_ms: 2 * (ring_ranks - 1) / ring_ranks * ring_GiB}
 *
 * Students predict, before they write code, the ratio of two cases' times, or
 * one case's time in us (prediction.h):
 *
 *     predict: [overlap-pcie, overlap]
 *
 * One question is answered in words, which a person reads. The hidden plan has
 * what the answer must name: a cause and a consequence.
 *
 *     rubric: [the last bucket is complete last, nothing hides it]
 *
 * A submission that lacks the idea of a part loses at least half of the part's
 * points: tests/support/mutant.h.
 *
 * topo, full and none may also precede the cases, as their defaults. A case
 * that is timed, or has its own machine, is *pinned*: it is meaningful only on
 * its own ranks and machine.
 *
 * `timezone: Europe/Berlin` before the cases sets the time zone of times in
 * rosters, and `grace: 10` the minutes after a deadline, and after each late
 * day, that still belong to it. `isolation: 2` before the cases makes the
 * grader refuse to run submissions with weaker isolation
 * (grader/sandbox/sandbox.h).
 *
 * Reference times are generated (`make plans`), in times/LAB.yaml next to the
 * plan:
 *
 *     times:
 *       - {case: ring-large, ranks: 8, us: 412.345678}
 *
 * Read with libyaml: the names of a case's parameters are arbitrary, which the
 * schemas of libcyaml cannot express.
 */
#ifndef COMMLAB_JUDGE_PLAN_H
#define COMMLAB_JUDGE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "judge/numbers.h"

enum { PLAN_MAX_PARAMS = 16, PLAN_MAX_RANKS = 16, PLAN_MAX_FILES = 32 };
enum { PLAN_MAX_PARTS = 32 }; /* parts are numbered from 1 */
enum { PLAN_STUDENT = 64 };

#define PLAN_TOPO     "dgx-h100" /* for plans that name no machine */
#define PLAN_SCHEDULE "late" /* SIMGPU_SCHEDULE of cases, unless it is set */

struct plan_param {
    char *key, *value;
};

struct plan_case {
    char *name, *kind;
    int line; /* its line in the plan's file, from 1 */
    int part;
    double points;
    struct plan_param with[PLAN_MAX_PARAMS];
    int nwith;
    int ranks[PLAN_MAX_RANKS];
    int nranks;
    char *topo;
    int timed, pinned;
    double full, none; /* multiples of the reference time: full points up to
                          `full`, no points from `none` on */
    double us[PLAN_MAX_RANKS]; /* reference times, by ranks[]; 0: unknown */
    int hidden;                /* 1 for a case of the hidden plan */
    struct answer *answer;     /* the formulas of a question; NULL: unknown, or
                                  no question */
    double right;              /* the right answer for the plan's student */
    double *also;              /* those for the student's group */
    int nalso;
};

struct plan {
    char *path[2]; /* the visible plan's file, and the hidden one's or NULL */
    char *lab, *title;
    char *file[PLAN_MAX_FILES];
    int nfiles;
    int ranks[PLAN_MAX_RANKS];
    int nranks;
    char *topo;                 /* default of the cases; NULL: PLAN_TOPO */
    double full, none;          /* defaults of the cases; 0: 1.2 and 10 */
    char *timezone;             /* time zone of the course; NULL: UTC */
    int timezone_line;          /* line of the plan with timezone */
    int grace;                  /* minutes after a deadline that are not late */
    char *idea[PLAN_MAX_PARTS]; /* by part; NULL: the plan names none */
    char *predict[2]; /* the cases whose times a prediction is compared with; or
                         NULL */
    char *rubric[2];  /* what an answer in words has to name: the cause, the
                         consequence; or NULL */
    int isolation;    /* minimum isolation level for grading */
    struct numbers numbers;     /* the numbers in questions */
    char student[PLAN_STUDENT]; /* the student they are drawn for */
    struct draw draw;
    struct plan_case *cases;
    int ncases;
};

/*
 * Load a plan; hidden may be NULL, or a file that need not exist. NULL on
 * failure, with "file:line: reason" in err. Its student is topo_me().
 */
struct plan *plan_load(const char *visible, const char *hidden, char *err,
                       size_t err_nbytes);
void plan_free(struct plan *p);

/* Draw the numbers for another student, which changes the right answers. */
void plan_draw(struct plan *p, const char *student);

/* Accept the answers to the numbers of further students, "A,B", too: a group
 * hands in together, and any member's numbers may be the ones it was asked. */
void plan_draw_also(struct plan *p, const char *students);

/* The relative tolerance of a question's answer; 0 for an exact whole
 * number. */
double plan_tolerance(const struct plan_case *c);

/* Write "FILE:LINE: case NAME: " and what is wrong with it to err. Returns
 * -1. */
int plan_wrong(const struct plan *p, const struct plan_case *c, char *err,
               size_t err_nbytes, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Check that a neighbour's answers fail (answer_differs()), and that each
 * question has an answer. Returns 0, or -1 with the question in err. */
int plan_check_answers(const struct plan *p, char *err, size_t err_nbytes);

/* Check that every timed case has a time for each of its ranks. Returns 0, or
 * -1 with the file and the case in err. */
int plan_check_times(const struct plan *p, char *err, size_t err_nbytes);

/* Check that every case's machine can be loaded, and has a GPU for each of its
 * ranks. Returns 0, or -1 with the case in err. */
int plan_check_machines(const struct plan *p, char *err, size_t err_nbytes);

/* The points of all cases. */
double plan_points(const struct plan *p);

/* The reference time; NaN if the case isn't timed or has none. */
double plan_reference_us(const struct plan_case *c, int nranks);

/* True if the case is meaningful on nranks ranks of this machine. A NULL topo
 * is a machine without a model, which fits every case. */
int plan_fits(const struct plan_case *c, int nranks, const char *topo);

const struct plan_case *plan_find(const struct plan *p, const char *name);

/* Suggestions for a misspelt name, separated by commas: names that contain it,
 * are part of it, or differ by at most two letters. */
void plan_near(const struct plan *p, const char *name, char *out,
               size_t nbytes);

/* A parameter of a case, or a default. Text that isn't a number counts as 0. */
const char *plan_text(const struct plan_case *c, const char *key,
                      const char *otherwise);
int64_t plan_int(const struct plan_case *c, const char *key, int64_t otherwise);

#endif
