/*
 * expected.h: what conformance programs print, as a file
 *
 *     # what the lines are, and where they are from
 *     gpus 1                      the machine had so many; without: 2 or more
 *     rule 01                     then what prog_rule01 prints, line by line
 *     when it is enqueued: not done
 *
 *     rule 22 ranks 2             so many processes, where it isn't one
 *     rule 22 ranks 2 skipped: why       not run there: nothing is compared
 *
 * Lines that are empty or begin with # are no part of what is printed.
 * tests/conformance/expected.txt is what CUDA's documentation says, and a file
 * expected-GPU-VERSIONS.txt beside it what one real machine printed
 * (tests/gpu/conformance.sh writes it).
 */
#ifndef COMMLAB_TESTS_EXPECTED_H
#define COMMLAB_TESTS_EXPECTED_H

#include <stddef.h>

enum { EXPECTED_RULES = 64, EXPECTED_LINES = 16 };

struct expected {
    const char *path;
    int ngpus; /* 0: not said */
    int nrules;
    struct expected_rule {
        char number[8];
        int nranks, skipped, nlines;
        struct {
            int at; /* line of the file */
            char *text;
        } line[EXPECTED_LINES];
    } rule[EXPECTED_RULES];
    char *data; /* the file, cut into the texts */
};

/* Read a file; path has to outlive e. 0, or -1 with why in err; then nothing
 * has to be released. */
int expected_load(struct expected *e, const char *path, char *err,
                  size_t err_nbytes);
void expected_release(struct expected *e);

/*
 * Is what was printed the lines of e's rule? 0, or -1 with the first difference
 * in err: rule, line, and both texts. A rule that was skipped is equal to all.
 */
int expected_compare(const struct expected *e, const struct expected_rule *rule,
                     const char *printed, char *err, size_t err_nbytes);

#endif
