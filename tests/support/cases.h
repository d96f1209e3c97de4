/*
 * cases.h: tests as data: what a function gets, and what it has to make of it
 *
 *     == the name of a case
 *     any lines
 *     --
 *     the lines expected
 *
 * Lines in front of the first case are comments.
 */
#ifndef COMMLAB_TESTS_CASES_H
#define COMMLAB_TESTS_CASES_H

struct cases {
    struct test_case {
        char *name, *input, *expected;
    } at[400];
    int n;
};

/* Those of a file, behind others; ends the program if it has another form. */
void cases_add(struct cases *c, const char *path);

/* Fail unless both texts have the same words; white space does not count. */
void cases_same_words(const struct test_case *c, const char *got);

#endif
