/*
 * match.h: whose is a file of this name?
 *
 * Learning systems put what they know of a student into the names of a
 * download. A pattern says where; it is compared in any case, and in any form
 * of Unicode (decompose.h):
 *
 *     {student} {id} {sis_id} {github} {email} {group}   the roster's column
 *     {name}     the student's name: spaces, commas, dots do not matter, nor
 *                whether the first or the last name is in front
 *     {attempt}  a number
 *     {any}      letters without _
 *     {file}     the rest: the name under which the file was handed in
 *     *          anything
 */
#ifndef GRADER_MATCH_H
#define GRADER_MATCH_H

#include "roster.h"

struct match {
    int attempt;      /* 1 unless the name has one */
    const char *file; /* in the name; NULL if the pattern has no {file} */
};

/* True if the name is one of the student's by the pattern. */
int match_name(const char *pattern, const char *name, const struct student *s,
               struct match *m);

/* NULL, or the placeholder of a pattern that there isn't. */
const char *match_wrong(const char *pattern);

/* True if two people's names are the same, as {name} compares them. */
int match_same_name(const char *a, const char *b);

#endif
