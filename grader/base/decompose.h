/*
 * decompose.h: one form for letters with marks
 *
 * Unicode writes a letter such as ü as one code point or as two, the letter and
 * its mark. Rosters have the first form; names of files made on macOS have the
 * second. To compare them, both are decomposed.
 */
#ifndef GRADER_DECOMPOSE_H
#define GRADER_DECOMPOSE_H

/* A copy of a UTF-8 text in which each letter is followed by its marks (NFD).
 * The caller frees it. Bytes that aren't UTF-8 stay as they are. */
char *decompose(const char *text);

#endif
