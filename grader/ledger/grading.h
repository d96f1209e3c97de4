/*
 * grading.h: a grading as the ledger keeps it, and as exports read it
 *
 * The output of `grade run --json` is kept, with its pictures compressed, as
 * "result" of a ledger entry's body. Only grading.c parses it.
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
    int unfinished; /* the run did not get to an answer */
    double beneath; /* points without the suspicion; NaN: unknown */
    const char *beneath_message;
};

struct grading { /* texts belong to json; pictures are packed (pack.h) */
    json_t *json;
    const char *lab, *title, *message, *notes, *seed, *timeline, *view,
        *backend, *plan,    /* plan: digest of the plan; "" if unknown */
        *members;           /* who handed in with the student, "A,B", or "" */
    const char *prediction, /* "made", "changed", "none"; "" if not asked */
        *predicted_when;    /* "2026-03-01 14:30 UTC", or "" */
    double predicted,
        found;            /* found: what was measured; NaN if there is none */
    const char *in_words; /* the answer that a person reads */
    const char *worklog;  /* what the student asked of whom; "" if unknown */
    enum outcome outcome;
    double score, max_score;
    int64_t submitted;
    int days_late, isolation, measured;
    struct grading_case *cases;
    int ncases;
};

/* Parse the body of a ledger's grading. Returns 0, or -1 if it isn't one. Call
 * grading_release() in either case. */
int grading_parse(struct grading *r, const char *body);
void grading_release(struct grading *r);

/* The result that `grade run --json` would have written if it had run. */
json_t *grading_infra(const char *lab, uint64_t seed, const char *why);

/* Versions of what graded: digests of the kit's parts and of the lab's plan;
 * compiler, MPI, kernel, this node. */
json_t *grading_versions(const char *kit, const char *lab);

/* The digest of a lab's plan: visible and hidden cases, reference times. */
void grading_plan_digest(const char *kit, const char *lab, char hex[33]);

#endif
