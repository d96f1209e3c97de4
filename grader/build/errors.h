/*
 * errors.h: what compilers and linkers complain about
 */
#ifndef GRADER_ERRORS_H
#define GRADER_ERRORS_H

#include <stddef.h>

/*
 * List all errors, one per line, with the student's own place first:
 *
 *     p2p.c:30:5: expected ';' before 'do' (in the macro LAB_TRY)
 */
void errors_list(const char *output, char *out, size_t nbytes);

/* True if the line is an error. */
int errors_is(const char *line);

/* The line after this one. */
const char *errors_next_line(const char *line);

/* Find `what` within the line; NULL if it isn't there. */
const char *errors_in_line(const char *line, const char *what);

#endif
