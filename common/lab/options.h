/*
 * options.h: the command line that every lab has
 */
#ifndef COMMLAB_LAB_OPTIONS_H
#define COMMLAB_LAB_OPTIONS_H

#include <stdint.h>

#include "judge/plan.h"

enum { OPTIONS_MAX_CASES = 256, OPTIONS_DEFAULT_SEED = 1 };

struct options {
    char *cases[OPTIONS_MAX_CASES]; /* names; none: all */
    int ncases;
    uint64_t seed;
    int iterations, warmup;
    const char *json; /* file to write, "-" for stdout, NULL for none */
    int list, help;
    int hidden;  /* also the cases that only the grader knows, where they are */
    int digests; /* print the answers as the lab's table keeps them */
    int times;   /* only the timed ones, and print their times for the plan */
};

/*
 * Parse. 0, or -1 with a line in err that says what is wrong. The options hold
 * pointers into argv, which is changed.
 */
int options_parse(struct options *o, int argc, char **argv, char *err,
                  size_t err_nbytes);

/* Are all the names cases of the plan? As options_parse(). */
int options_check(const struct options *o, const struct plan *p, char *err,
                  size_t err_nbytes);

/* Is this case to be run? */
int options_want(const struct options *o, const char *name);

#endif
