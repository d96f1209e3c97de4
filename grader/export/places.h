/*
 * places.h: a leaderboard
 *
 * Names are pseudonyms: a student has the same one in every lab of a ledger.
 * Only attempts that have a score and were run are placed: by points, then by
 * the sum of the modelled times of timed cases.
 */
#ifndef GRADER_PLACES_H
#define GRADER_PLACES_H

#include "grader/export/export.h"

struct place_of {
    char name[32];
    double score, time_us;
    int place; /* from 1; equal ones share a place, and the next places
                  stay empty */
};

/* The places in order. The caller frees them. */
struct place_of *places_list(const struct export *e, int *n);

#endif
