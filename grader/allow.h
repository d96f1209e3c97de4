/*
 * allow.h: what a student's code may use
 *
 * Lists of what is allowed, not of what is forbidden: a name that nobody has
 * thought of is refused. What is refused does not build, in `make labN` as in
 * the grader, with a message that says what to use instead. It is never held
 * against its author.
 *
 * These lists are about the real names of other people's code: the compiler's,
 * the system's, CUDA's. A student's own names are free, as the kit's are hidden
 * from them (common/rules.mk).
 */
#ifndef GRADER_ALLOW_H
#define GRADER_ALLOW_H

/* What an object imports: a function or variable of a library. */
int allow_import(const char *name, int is_device);

/* A header by the name between its quotes or brackets, if it is not one of the
 * lab's own. */
int allow_header(const char *name);

/* An attribute, without its underscores and its namespace. */
int allow_attribute(const char *name);

/* A pragma: the words behind #pragma. */
int allow_pragma(const char *words);

/* An identifier that C reserves for compilers and libraries (a name that begins
 * with two underscores, or with one and a capital letter). */
int allow_reserved(const char *name);

/* A directive of the preprocessor. */
int allow_directive(const char *name);

/* What to use instead of an import, a header or a word that is refused; "" if
 * nothing in particular. */
const char *allow_instead(const char *name);

/* True if name matches one of the patterns, a list ended by NULL. */
int allow_matches(const char *name, const char *const *patterns);

#endif
