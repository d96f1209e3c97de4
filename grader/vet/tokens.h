/*
 * tokens.h: what a student's source may contain
 *
 * A file is read twice: as it was written, for its directives, and as the
 * preprocessor left it, for everything that macros may have put together. Only
 * the student's own tokens count: the preprocessor's line markers tell which
 * lines, and which parts of lines, come from headers of the kit and the system
 * (they are named by -isystem). Since a source may not write markers itself,
 * they can be relied upon.
 *
 * All functions return 0, or 1 with a line in why: "p2p.c:12: asm is not
 * available in labs: write it in C".
 */
#ifndef GRADER_TOKENS_H
#define GRADER_TOKENS_H

#include <stddef.h>

/* Check the directives of a file. own: true for headers that the lab gives or
 * that are among the student's files; NULL: there are none. */
int tokens_check_source(const char *name, const char *text,
                        int (*own)(const char *header, void *arg), void *arg,
                        char *why, size_t nbytes);

/* Check the tokens of a preprocessed file. */
int tokens_check(const char *text, char *why, size_t nbytes);

/* Find the first place where the student's tokens of a preprocessed file use a
 * word: writes "p2p.c:12" to out, or "". Returns out. */
const char *tokens_find(const char *text, const char *word, char *out,
                        size_t nbytes);

#endif
