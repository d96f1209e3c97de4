/*
 * text.h: texts from other people, in files that the grader writes
 *
 * Names come from rosters, messages from students' programs. text_clean() makes
 * them harmless once: valid UTF-8, no control characters, no line separators
 * but \n, limited length. The function for a format does what that format needs
 * beyond that (quotes, entities).
 */
#ifndef GRADER_TEXT_H
#define GRADER_TEXT_H

#include <stddef.h>
#include <stdio.h>

enum { TEXT_NAME = 100, TEXT_MESSAGE = 2000 }; /* usual limits, in characters */

/*
 * A copy, which the caller frees: bytes that aren't UTF-8 become U+FFFD; a tab
 * becomes a blank; other control characters, and those that change the
 * direction of writing, are removed (in a name also \n); an ellipsis replaces
 * what exceeds `most` characters.
 */
char *text_clean(const char *text, size_t most);

/* True if all bytes are UTF-8. */
int text_is_utf8(const char *text);

/* Write a CSV cell, quoted if necessary. A text that a spreadsheet would take
 * for a formula gets a leading ', unless it is a number. */
void text_csv(FILE *f, const char *text);

/* Write the cell of a login (text_is_key()), which has to stay as it is: other
 * systems find the student by it, and it can't call anything. */
void text_csv_key(FILE *f, const char *key);

/* Write "; " unless this is the first text of the file. Returns the file. */
FILE *text_next(FILE *f);

/* Write text for the inside of an element or a quoted attribute
 * of XML or HTML. */
void text_xml(FILE *f, const char *text);

/* True for a name that suits a student, a batch or a file:
 * [A-Za-z0-9._@+-]{1,64}, not starting with . or -. */
int text_is_key(const char *text);

/* Read a whole number from least to most. Returns -1 if the text isn't one. */
int text_number(const char *text, long least, long most, int *value);

#endif
