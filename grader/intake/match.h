/*
 * match.h: which student a file name belongs to
 *
 * Learning systems put data about the student into the names of a download. A
 * pattern says where. Upper and lower case are equal in comparisons, as are all
 * forms of Unicode (decompose.h):
 *
 *     {student} {id} {sis_id} {github} {email} {group}   the roster's column
 *     {name}     the student's name; spaces, commas and dots don't matter, nor
 *                whether the first or the last name comes first
 *     {attempt}  a number
 *     {any}      letters without _
 *     {file}     the rest: the name under which the file was handed in
 *     *          anything
 */
#ifndef GRADER_MATCH_H
#define GRADER_MATCH_H

#include "grader/intake/roster.h"

struct match {
    int attempt;      /* 1 if the name doesn't say */
    const char *file; /* points into the name; NULL if the pattern has
                         no {file} */
    size_t nbytes;    /* length of the texts of the roster in the name: of two
                         students who fit, the longer one fits better */
};

/* True if the name belongs to the student according to the pattern. */
int match_name(const char *pattern, const char *name, const struct student *s,
               struct match *m);

/* The first unknown placeholder of a pattern; NULL if there is none. */
const char *match_wrong(const char *pattern);

/* True if two people's names are equal as {name} compares them. */
int match_same_name(const char *a, const char *b);

#endif
