/*
 * encoding.h: submitted texts that aren't UTF-8
 *
 * Windows' editors and PowerShell's > write UTF-16, in which each ASCII
 * character has a zero byte: compilers refuse it, and a reader of C strings
 * sees one character of it.
 */
#ifndef GRADER_ENCODING_H
#define GRADER_ENCODING_H

#include <stddef.h>

/* What a source is if compilers can't read it, with what to do about it, for a
 * message "NAME is ..."; NULL if it has no zero byte. */
const char *encoding_fault(const char *data, size_t nbytes);

/* Turn a text in UTF-16 into UTF-8, without its byte order mark. Returns the
 * new text, from malloc(), and its size; NULL if the text isn't in UTF-16. Half
 * a pair of surrogates becomes U+FFFD. */
char *encoding_to_utf8(const char *data, size_t nbytes, size_t *size);

#endif
