/*
 * expected.h: the expected output of conformance programs, as a file
 *
 *     # a comment: what the lines are and where they come from
 *     gpus 1                      GPUs of the machine; without it, 2 or more
 *     rule 01                     then prog_rule01's output, line by line
 *     when it is enqueued: not done
 *
 *     rule 22 ranks 2             number of processes, if it isn't 1
 *     rule 22 ranks 2 skipped: why       did not run there: not compared
 *
 * Lines that are empty or start with # are not output.
 * tests/conformance/expected.txt is what CUDA's documentation says; files
 * expected-GPU-VERSIONS.txt next to it are what real machines printed
 * (tests/gpu/conformance.sh writes them).
 */
#ifndef COMMLAB_TESTS_EXPECTED_H
#define COMMLAB_TESTS_EXPECTED_H

#include <stddef.h>

enum { EXPECTED_RULES = 64, EXPECTED_LINES = 16 };

struct expected {
    const char *path;
    int ngpus; /* 0 if the file doesn't say */
    int nrules;
    struct expected_rule {
        char number[8];
        int nranks, skipped, nlines;
        struct {
            int at; /* line of the file */
            char *text;
        } line[EXPECTED_LINES];
    } rule[EXPECTED_RULES];
    char *data; /* the file; the texts point into it */
};

/* Read a file; path must outlive e. Returns 0, or -1 with the reason in err,
 * and nothing to release. */
int expected_load(struct expected *e, const char *path, char *err,
                  size_t err_nbytes);
void expected_release(struct expected *e);

/*
 * Compare output with the lines of e's rule. Returns 0, or -1 with the first
 * difference in err: rule, line, and both texts. Any output matches a rule that
 * was skipped.
 */
int expected_compare(const struct expected *e, const struct expected_rule *rule,
                     const char *printed, char *err, size_t err_nbytes);

#endif
