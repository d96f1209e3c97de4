/*
 * skipped.h: which directives the preprocessor doesn't reach
 *
 * Text between `#if 0` and `#endif` is not part of a program. Only conditions
 * whose value is certain count: integers, names of other systems' compilers,
 * and combinations of these with !, &&, || and defined. With any other
 * condition, both branches count as part of the program.
 */
#ifndef GRADER_SKIPPED_H
#define GRADER_SKIPPED_H

enum { SKIPPED_MOST = 64 }; /* nested conditionals that are followed */

struct skipped {
    int depth;
    struct {
        signed char here; /* -1: this branch is never taken */
        signed char done; /* an earlier branch is certain to be taken */
    } group[SKIPPED_MOST];
};

/* Follow a directive: its name, and the tokens behind it. */
void skipped_follow(struct skipped *s, const char *name, const char *rest);

/* True if the present place is certainly not part of the program. */
int skipped_here(const struct skipped *s);

/* True for names that only other systems define: _WIN32. If a program defined
 * one, skipped_here() would be wrong. */
int skipped_is_foreign(const char *name);

#endif
