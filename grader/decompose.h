/*
 * decompose.h: letters with marks, in one form
 *
 * Unicode writes a letter such as ü as one code point or as two, the letter and
 * its mark. A roster has the first form, names of files that were made on macOS
 * have the second. In order to compare them, both are taken apart.
 */
#ifndef GRADER_DECOMPOSE_H
#define GRADER_DECOMPOSE_H

/* A copy of a text in UTF-8, for the caller to free, in which each letter is
 * followed by its marks (NFD). Bytes that are no UTF-8 stay as they are. */
char *decompose(const char *text);

#endif
