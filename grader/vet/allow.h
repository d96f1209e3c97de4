/*
 * allow.h: what a student's code may use
 *
 * The lists say what is allowed, not what is forbidden, so an unforeseen name
 * is refused. Code that uses a refused name does not build, in `make labN` as
 * in the grader, and a message says what to use instead. It is never held
 * against its author.
 *
 * The lists contain the real names of other people's code: the compiler's, the
 * system's, CUDA's. Students may choose any names of their own, because the
 * kit's names are hidden from their code (common/rules.mk).
 */
#ifndef GRADER_ALLOW_H
#define GRADER_ALLOW_H

/* True if an object may import this function or variable of a library. */
int allow_import(const char *name, int is_device);

/* True if a header may be included, by the name between its quotes or brackets.
 * Headers of the lab itself are not looked up here. */
int allow_header(const char *name);

/* True for an allowed attribute, without its underscores and its namespace. */
int allow_attribute(const char *name);

/* True for an allowed pragma: the words after #pragma. */
int allow_pragma(const char *words);

/*
 * True for an allowed identifier among those that C reserves for compilers and
 * libraries (names that start with two underscores, or with one and a capital
 * letter).
 */
int allow_reserved(const char *name);

/* True for an allowed directive of the preprocessor. */
int allow_directive(const char *name);

/* What to use instead of a refused import, header or word; "" if there is
 * nothing in particular. */
const char *allow_instead(const char *name);

/* True if the name matches one of the patterns, which are ended by NULL. */
int allow_matches(const char *name, const char *const *patterns);

#endif
