/*
 * rule.h: prints a line for each rule that a conformance program checks
 *
 * The programs use only the real API, so they print the same on a real GPU. A
 * program ends with rule_status(), which is 0 if all rules held.
 */
#ifndef COMMLAB_TESTS_RULE_H
#define COMMLAB_TESTS_RULE_H

#include <stdio.h>

static int rule_failures;

#define RULE(holds, text)                                                      \
    do {                                                                       \
        const int holds_ = (holds);                                            \
        rule_failures += !holds_;                                              \
        printf("%s %s (%s:%d)\n", holds_ ? "ok    " : "FAILED", text,          \
               __FILE__, __LINE__);                                            \
    } while (0)

static inline int rule_status(void)
{
    return rule_failures != 0;
}

#endif
