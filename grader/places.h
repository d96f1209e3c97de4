/*
 * places.h: a leaderboard
 *
 * Names are pseudonyms: the same student has the same one in every lab of a
 * ledger. Only what has a score, and was run, has a place: by points, then by
 * the modelled times of the timed cases, together.
 */
#ifndef GRADER_PLACES_H
#define GRADER_PLACES_H

#include "export.h"

struct place_of {
    char name[32];
    double score, time_us;
    int place; /* from 1; equals share one, and the next ones are free */
};

/* In order; for the caller to free. */
struct place_of *places_list(const struct export *e, int *n);

#endif
