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
 *     files: [p2p_collectives.c, allreduce.c]     # what a submission consists of
 *     ranks: [4]                                  # what the grader runs, unless
 *     cases:                                      # a case says otherwise
 *       - name: broadcast-odd
 *         part: 2
 *         points: 2
 *         kind: broadcast        # entry of the lab's judge and run tables
 *         with: {count: 1003, type: int32, root: 1}
 *         ranks: [3, 4]          # points are earned if all of them pass
 *         perf: {full: 1.2, none: 10}   # time against reference_us; optional
 */
#ifndef COMMLAB_JUDGE_PLAN_H
#define COMMLAB_JUDGE_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct plan_param {
    char *key, *value;
};

struct plan_case {
    char *name;
    int part;
    double points;
    char *kind;
    struct plan_param *with;
    unsigned with_count;
    int *ranks;
    unsigned ranks_count;
    int hidden;        /* from the hidden plan */
    double perf_full;  /* full points up to this ratio; 0: not timed */
    double perf_none;  /* none from this ratio on */
    struct plan_time { /* reference's modelled time, written by make plans */
        int ranks;
        double us;
    } * reference;
    unsigned reference_count;
};

struct plan {
    char *lab, *title;
    char **files;
    unsigned files_count;
    int *ranks;
    unsigned ranks_count;
    struct plan_case *cases;
    unsigned cases_count;
};

/*
 * Load a plan; hidden may be NULL, or a file that need not exist. NULL on
 * failure, with "file:line: what is wrong" in err.
 */
struct plan *plan_load(const char *visible, const char *hidden, char *err,
                       size_t err_nbytes);
void plan_free(struct plan *p);

const struct plan_case *plan_find(const struct plan *p, const char *name);

/* Parameters, with a default. A value that isn't a number stops plan_load. */
const char *plan_text(const struct plan_case *c, const char *key,
                      const char *otherwise);
int64_t plan_int(const struct plan_case *c, const char *key, int64_t otherwise);
double plan_real(const struct plan_case *c, const char *key, double otherwise);

#endif
