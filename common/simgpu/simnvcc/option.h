/*
 * option.h: the table of nvcc's options
 *
 * One row describes one option: both its names, whether it takes a value and
 * which, and what it does. The rows are those of `nvcc --help` and the options
 * that nvcc takes without listing them; tests/simnvcc/test_options.c compares
 * the table with nvcc's own list.
 */
#ifndef SIMNVCC_OPTION_H
#define SIMNVCC_OPTION_H

#include <stddef.h> /* size_t */

#include "options.h"

enum option_takes {
    ALONE,
    VALUE, /* -o x, -o=x */
    GLUED, /* its short name is one letter: also -Ix */
    MAYBE, /* the next argument if it is one of the values, or nothing */
    IF_ANY /* a value, unless nothing follows */
};

/* What an option does. `to` is the offset of a member of struct options, `text`
 * the argument that g++ gets. */
enum option_action {
    IGNORE,
    SET_FLAG,  /* sets an int to 1 */
    SET_TEXT,  /* sets a const char * to the value */
    PASS,      /* adds `text` to a list of arguments */
    JOIN,      /* adds `text` and the value as one argument */
    PAIR,      /* adds them as two arguments */
    JOIN_EACH, /* JOIN for each word of a list with commas */
    PAIR_EACH, /* PAIR for each word of a list with commas */
    WORDS,     /* PAIR for each word of a list with commas or blanks, without
                  its quotes; without `text`, the word alone */
    SET_MODE,
    READ_FILE, /* reads more options from the file */
    REFUSE,    /* ends the program; `text` is the reason */
    RUN_CALL
};

struct option {
    /* as in -o and --output-file; NULL if it doesn't exist */
    const char *brief, *full;
    enum option_takes takes;
    /* "a|b": the values that exist, in lists too. NUMBER: a number. NULL: any
     * value. */
    const char *values;
    enum option_action action;
    size_t to;
    const char *text;
    enum mode mode;
    void (*call)(struct options *o, const char *as, const char *value);
};

extern const char option_number[];
#define NUMBER option_number

/* The row for an argument that begins with a dash, or NULL. *value is set to
 * the value if it is part of the argument, else to NULL. */
const struct option *option_find(const char *arg, const char **value);

/* True if nvcc wants the other number of dashes. */
int option_dashes_wrong(const struct option *p, const char *arg);

/* True if the option may have this value. */
int option_allows(const struct option *p, const char *value);

#endif
