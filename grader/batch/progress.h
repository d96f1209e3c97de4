/*
 * progress.h: a batch's progress
 *
 * On a terminal this is one line, which is overwritten; elsewhere a line for
 * each submission. The rate is that of the last minutes, by a steady clock.
 */
#ifndef GRADER_PROGRESS_H
#define GRADER_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

#include "judge/outcome.h"

enum { PROGRESS_LAST = 32 };

struct progress {
    FILE *out;
    int terminal;
    int total, done, running;
    struct outcome_counts outcomes;
    uint64_t begin_ns;
    uint64_t last_ns[PROGRESS_LAST]; /* when the last ones were done */
};

void progress_begin(struct progress *p, FILE *out, int total);

/* Count one as done with this outcome and these points; line says which and how
 * (may be NULL). */
void progress_done(struct progress *p, enum outcome outcome, double score,
                   const char *line);

/* Show the present state. On terminals, call this from time to time. */
void progress_show(const struct progress *p);
void progress_end(struct progress *p);

#endif
