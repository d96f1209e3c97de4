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
 *
 * Read with libyaml: a case's parameters have free names, which libcyaml's
 * schemas cannot express.
 */
#ifndef COMMLAB_JUDGE_PLAN_H
#define COMMLAB_JUDGE_PLAN_H

#include <stddef.h>
#include <stdint.h>

enum { PLAN_MAX_PARAMS = 16, PLAN_MAX_RANKS = 16, PLAN_MAX_FILES = 32 };

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
    int hidden; /* from the hidden plan */
};

struct plan {
    char *lab, *title;
    char *file[PLAN_MAX_FILES];
    int nfiles;
    int ranks[PLAN_MAX_RANKS];
    int nranks;
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
