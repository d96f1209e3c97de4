/*
 * line.h: a copy of one line of a long text, for sscanf()
 *
 * sscanf() measures the length of the whole string before it reads a word.
 * Called for each line of a preprocessed file, it would take quadratic time.
 */
#ifndef SIMNVCC_LINE_H
#define SIMNVCC_LINE_H

#include <stddef.h>

enum { LINE_NBYTES = 8192 }; /* enough for a line marker with its path */

/* Copy the text's first line without its newline, truncated if
 * necessary. Returns out. */
const char *line_copy(const char *text, char out[LINE_NBYTES]);

#endif
