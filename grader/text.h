/*
 * text.h: other people's words in files that we write
 *
 * Names come from rosters, messages from students' programs. text_clean() makes
 * them harmless once: valid UTF-8, no control characters, no line separators
 * but \n, cut at a length. What a format needs beyond that (quotes, entities)
 * is the work of the function named after it.
 */
#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum {
    TEXT_NAME = 100,
    TEXT_MESSAGE = 2000
}; /* usual lengths, in characters */

/*
 * A copy, for the caller to free: bytes that are no UTF-8 are U+FFFD; control
 * characters, and those that turn the direction of writing, are left out (in a
 * name also \n); what is beyond `most` characters is an ellipsis.
 */
char *text_clean(const char *text, size_t most);

/* As a CSV cell: quoted if need be; what a spreadsheet would take for a formula
 * gets a ' in front, unless it is a number. */
void text_csv(FILE *f, const char *text);

/* Inside an element or a quoted attribute of XML or HTML. */
void text_xml(FILE *f, const char *text);

/* Is it a name for a student, a batch or a file: [A-Za-z0-9._@+-]{1,64}, not
 * with a . or - at the beginning? */
int text_is_key(const char *text);

/* A whole number from least to most; -1 if text is none. */
int text_number(const char *text, long least, long most, int *value);

#endif
