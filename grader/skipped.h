/*
 * skipped.h: which directives the preprocessor does not reach
 *
 * What is between `#if 0` and `#endif` is not part of a program, whatever it
 * says. Only conditions whose value is certain count: integers, names of other
 * systems' compilers, and !, &&, || and defined of those. Under all other
 * conditions both branches are taken for part of the program.
 */
#ifndef GRADER_SKIPPED_H
#define GRADER_SKIPPED_H

#include <stddef.h>

enum { SKIPPED_MOST = 64 }; /* conditionals within one another that are told */

struct skipped {
    int depth;
    struct {
        signed char here; /* -1: this branch is never taken */
        signed char done; /* an earlier branch has certainly been taken */
    } group[SKIPPED_MOST];
};

/* A directive: its name, and nbytes behind it up to the line's end. */
void skipped_follow(struct skipped *s, const char *name, const char *rest,
                    size_t nbytes);

/* True if what stands here is certainly not part of the program. */
int skipped_here(const struct skipped *s);

/* True for names that only other systems define: _WIN32. A program that defines
 * one would make skipped_here() wrong. */
int skipped_is_foreign(const char *name);

#endif
