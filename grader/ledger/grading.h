/*
 * grading.h: a grading as it is kept, and what exports read of it
 *
 * What `grade run --json` writes is kept as it is, as "result" of a ledger
 * entry's body. Nobody but grading.c takes it apart.
 */
#ifndef GRADER_GRADING_H
#define GRADER_GRADING_H

#include <jansson.h>
#include <stdint.h>

#include "judge/outcome.h"

struct grading_case {
    const char *name, *message, *rerun;
    enum outcome outcome;
    int part, ranks, hidden;
    double score, max_score, time_us, reference_us; /* times: NaN if none */
};

struct grading { /* texts belong to json */
    json_t *json;
    const char *lab, *title, *message, *notes, *seed, *timeline, *view,
        *backend, *plan; /* its digest; "" if unknown */
    enum outcome outcome;
    double score, max_score;
    int64_t submitted;
    int days_late, isolation, measured;
    struct grading_case *cases;
    int ncases;
};

/* From the body of a ledger's grading. 0, or -1 if it is none; release in
 * either case. */
int grading_parse(struct grading *r, const char *body);
void grading_release(struct grading *r);

/* As `grade run --json` would have written it, had it come that far. */
json_t *grading_infra(const char *lab, uint64_t seed, const char *why);

/* What graded: digests of the kit's parts and of the lab's plan, compiler, MPI,
 * kernel, this node. */
json_t *grading_versions(const char *kit, const char *lab);

/* The digest of a lab's plan: visible and hidden cases, reference times. */
void grading_plan_digest(const char *kit, const char *lab, char hex[33]);

#endif
