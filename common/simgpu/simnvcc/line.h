/*
 * line.h: a line of a long text, to be scanned by itself
 *
 * sscanf() measures the whole string that it is given before it reads a word:
 * on each line of a preprocessed file, that is the square of its size.
 */
#ifndef SIMNVCC_LINE_H
#define SIMNVCC_LINE_H

#include <stddef.h>

enum { LINE_NBYTES = 8192 }; /* room for a line marker, path included */

/* Copy the text's first line, without its newline, cut off if it is longer.
 * Returns out. */
const char *line_copy(const char *text, char out[LINE_NBYTES]);

#endif
