/*
 * batch_entry.h: what a batch writes to the ledger about itself
 *
 * An entry `batch` has the seed, the roster, the time zone, the grace and the
 * versions of what grades, and what is pending (pending.h). It comes before the
 * batch's first grading. A batch that changes none of these appends none, so an
 * interrupted batch continues as it started.
 */
#ifndef GRADER_BATCH_ENTRY_H
#define GRADER_BATCH_ENTRY_H

#include "grader/batch/batch.h"

struct batch_last { /* what the ledger has from this lab's last batch */
    char seed[65];  /* hexadecimal; "": there is no batch */
    char timezone[64];
    int grace;
    char *roster;    /* JSON text */
    json_t *pending; /* pending.h */
};

void batch_last_read(const struct batch *b, struct batch_last *last);
void batch_last_release(struct batch_last *last);

/* Find the course's time zone: the given one, or that of the ledger's last
 * batch, or the plan's. "" is UTC. Returns 0, or -1 with err. */
int batch_find_timezone(struct batch *b);

/* Find the seed: the given one, or the last batch's, or a new one. Returns 0,
 * or -1 with err. */
int batch_find_seed(struct batch *b, const struct batch_last *last);

/* Append the entry if there is something new in it. Returns 0, or -1 with
 * err. */
int batch_record(struct batch *b, const struct batch_last *last);

/* Set b->err. Returns -1. */
int batch_fail(struct batch *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
