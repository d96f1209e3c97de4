/*
 * plan.h: a lab's plan, as data
 *
 * grader/plans/LAB.yaml says what students may edit and which cases there are,
 * with points, ranks and parameters; grader/plans/hidden/LAB.yaml adds cases
 * that only the grader knows. One reader serves the runner, the grader and the
 * tests. Errors name file, line and key.
 *
 *     lab: lab1-collectives
 *     title: Collectives
 *     files: [p2p.c, allreduce.c]      # what a submission consists of
 *     ranks: [4]                       # what the grader runs, unless
 *     cases:                           # a case says otherwise
 *       - name: broadcast-odd
 *         part: 2
 *         points: 2
 *         kind: broadcast              # entry of the lab's judge and run tables
 *         with: {count: 1003, type: int32, root: 1}
 *         ranks: [3, 4]                # points are earned if all of them pass
 *       - name: ring-large
 *         ...
 *         timed: 1                     # points for its time as well (points.h)
 *         topo: dgx-h100               # the machine it is modelled on
 *
 * topo, full and none may also stand before the cases, for all of them. A case
 * that is timed, or names a machine of its own, is *pinned*: it means something
 * on its ranks and its machine only.
 *
 * isolation: 2 before the cases makes the grader refuse to run submissions less
 * well kept apart (grader/sandbox.h).
 *
 * Reference times are generated (`make plans`), beside the plan in times/LAB.yaml:
 *
 *     times:
 *       - {case: ring-large, ranks: 8, us: 412.345678}
 *
 * Read with libyaml: a case's parameters have free names, which libcyaml's
 * schemas cannot express.
 */
#ifndef COMMLAB_JUDGE_PLAN_H
#define COMMLAB_JUDGE_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum { PLAN_MAX_PARAMS = 16, PLAN_MAX_RANKS = 16, PLAN_MAX_FILES = 32 };

#define PLAN_TOPO "dgx-h100" /* where a plan names no machine */

struct plan_param {
    char *key, *value;
};

struct plan_case {
    char *name, *kind;
    int part;
    double points;
    struct plan_param with[PLAN_MAX_PARAMS];
    int nwith;
    int ranks[PLAN_MAX_RANKS];
    int nranks;
    char *topo;
    int timed, pinned;
    double full, none; /* times the reference's time: full points up to, none
                          from */
    double us[PLAN_MAX_RANKS]; /* the reference's, by ranks[]; 0: unknown */
    int hidden;                /* from the hidden plan */
};

struct plan {
    char *lab, *title;
    char *file[PLAN_MAX_FILES];
    int nfiles;
    int ranks[PLAN_MAX_RANKS];
    int nranks;
    char *topo;        /* for cases that name none; NULL: PLAN_TOPO */
    double full, none; /* likewise; 0: 1.2 and 10 */
    int isolation;     /* the grader runs it at this level or a higher one */
    struct plan_case *cases;
    int ncases;
};

/*
 * Load a plan; hidden may be NULL, or a file that need not exist. NULL on
 * failure, with "file:line: what is wrong" in err.
 */
struct plan *plan_load(const char *visible, const char *hidden, char *err,
                       size_t err_nbytes);
void plan_free(struct plan *p);

/* Has every timed case a time for each of its ranks? 0, or -1 with the file and
 * the case in err. */
int plan_check_times(const struct plan *p, char *err, size_t err_nbytes);

/* Time of the reference; NaN if the case isn't timed, or has none. */
double plan_reference_us(const struct plan_case *c, int nranks);

/* Does the case mean something on nranks ranks of this machine? topo NULL: a
 * machine that nobody modelled, which fits all. */
int plan_fits(const struct plan_case *c, int nranks, const char *topo);

const struct plan_case *plan_find(const struct plan *p, const char *name);

/* Names that somebody may have meant, separated by commas: those that contain
 * it, are part of it, or differ by at most two letters. */
void plan_near(const struct plan *p, const char *name, char *out,
               size_t nbytes);

/* Parameters of a case, with a default. A text that isn't a number is 0. */
const char *plan_text(const struct plan_case *c, const char *key,
                      const char *otherwise);
int64_t plan_int(const struct plan_case *c, const char *key, int64_t otherwise);

#endif
