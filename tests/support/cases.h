/*
 * cases.h: tests as data: inputs of a function and its expected results
 *
 *     == the name of a case
 *     any lines
 *     --
 *     the lines expected
 *
 * Lines before the first case are comments.
 */
#ifndef COMMLAB_TESTS_CASES_H
#define COMMLAB_TESTS_CASES_H

struct cases {
    struct test_case {
        char *name, *input, *expected;
    } at[400];
    int n;
};

/* Append the cases of a file. Ends the program if the file has another form. */
void cases_add(struct cases *c, const char *path);

/* Fail unless both texts have the same words; white space doesn't count. */
void cases_same_words(const struct test_case *c, const char *got);

#endif
