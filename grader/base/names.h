/*
 * names.h: a sorted set of names
 */
#ifndef GRADER_NAMES_H
#define GRADER_NAMES_H

#include <stddef.h>

struct names {
    char **v;
    size_t n, cap;
    int sorted;
};

void names_add(struct names *s, const char *name);

/* Load the words of a file. Returns 0, or -1 with errno set. */
int names_load(struct names *s, const char *path);

/* True if the set has the name. */
int names_have(struct names *s, const char *name);

void names_release(struct names *s);

#endif
