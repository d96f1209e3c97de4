/*
 * flags.h: the options of a lab's commands, such as --overlap-report
 *
 *     static struct request q = {.width = 256, .type = DATA_FLOAT};
 *     const struct flag flags[] = {
 *         {"--width", FLAG_NUMBER, &q.width, 1, 65536},
 *         {"--dtype", FLAG_TYPE, &q.type, 0, 0},
 *         {NULL, 0, NULL, 0, 0}};
 *     if (flags_parse(r, argc, argv, flags) != 0)
 *         return 2;
 *
 * A value follows its option as the next argument, or after "=".
 */
#ifndef COMMLAB_LAB_FLAGS_H
#define COMMLAB_LAB_FLAGS_H

#include "lab/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum flag_kind {
    FLAG_NUMBER, /* long: least to most */
    FLAG_TYPE,   /* int: enum data_type */
    FLAG_TEXT,   /* const char *: points into argv */
    FLAG_LIST,   /* struct flag_list: numbers separated by commas,
                    least to most */
    FLAG_CHOICE, /* struct flag_choice */
    FLAG_SET,    /* long: becomes 1; has no value */
};

enum { FLAG_LIST_MOST = 16 };

struct flag_list {
    int n;
    long number[FLAG_LIST_MOST];
};

struct flag_choice {
    const char *const *names; /* ended by NULL */
    int chosen;               /* position of the chosen name */
};

struct flag {
    const char *name; /* NULL ends a table */
    enum flag_kind kind;
    void *value; /* unchanged if the option is missing */
    long least, most;
};

/*
 * Parse a command's options; argv[0] is the command. All ranks call and get the
 * same values. Returns 0, or -1 after rank 0 has named the option and value
 * that it refuses and listed all options.
 */
int flags_parse(const struct lab_run *r, int argc, char **argv,
                const struct flag *flags);

#ifdef __cplusplus
}
#endif

#endif
