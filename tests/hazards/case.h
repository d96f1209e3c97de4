/*
 * case.h: programs with one bug each, and their fixed twins
 *
 *     prog --list           the cases: name, ranks, text of the report
 *     prog NAME faulty      run one with its bug
 *     prog NAME fixed       the same program, fixed
 *
 * Each case is a function. FIRST and SECOND precede the two calls that a report
 * must name; the program prints their lines.
 */
#ifndef COMMLAB_TESTS_HAZARDS_CASE_H
#define COMMLAB_TESTS_HAZARDS_CASE_H

#include <stdio.h>
#include <string.h>

struct hazard_case {
    const char *name;
    int nranks;       /* at least; 0: no MPI */
    const char *says; /* part of the report, with ~ for spaces */
    void (*run)(int fixed);
};

static int first_line, second_line;
#define FIRST  first_line = __LINE__;
#define SECOND second_line = __LINE__;

/* All of main() except the setup common to the cases of a file. */
static inline int run_case(const struct hazard_case *cases, size_t n, int argc,
                           char **argv)
{
    const char *const name = argc > 1 ? argv[1] : "";
    const int fixed = argc > 2 && strcmp(argv[2], "fixed") == 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, "--list") == 0)
            printf("%s %d %s\n", cases[i].name, cases[i].nranks, cases[i].says);
        if (strcmp(name, cases[i].name) != 0)
            continue;
        cases[i].run(fixed);
        printf("lines %d %d\n", first_line, second_line);
        return 0;
    }
    return strcmp(name, "--list") == 0 ? 0 : 2;
}

#endif
