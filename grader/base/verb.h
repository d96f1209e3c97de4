/*
 * verb.h: how a verb of build/grade reads its command line
 */
#ifndef GRADER_VERB_H
#define GRADER_VERB_H

#include <stddef.h> /* offsetof */

enum { EXIT_FULL = 0, EXIT_NOT_FULL = 1, EXIT_USAGE = 2, EXIT_INFRA = 3 };

enum verb_kind {
    VERB_FLAG,    /* int: 1 if it is given */
    VERB_TEXT,    /* const char *; one of words, if there are any */
    VERB_WORD,    /* int: its index among words */
    VERB_NUMBER,  /* int, from least to most */
    VERB_SEED,    /* uint64_t */
    VERB_PERCENT, /* double, from 0 to 100 */
};

struct verb_option {
    enum verb_kind kind;
    const char *name;  /* --name */
    const char *value; /* name of its value in the help; NULL for a flag */
    size_t at;         /* offset in the verb's struct of options */
    const char *help;  /* lines for the help; NULL: not meant for people */
    int required;      /* true if a VERB_TEXT must be given */
    char letter;       /* short form: -letter */
    int least, most;
    const char *const *words; /* ended by NULL */
};

/* An option with optional further fields: VERB_OPTION(VERB_TEXT, "lab", "LAB",
 * offsetof(struct options, lab), "lab1, or its full name", .required = 1) */
#define VERB_OPTION(kind_, name_, value_, at_, help_, ...)                     \
    {                                                                          \
        .kind = kind_, .name = name_, .value = value_, .at = at_,              \
        .help = help_, __VA_ARGS__                                             \
    }

struct verb {
    const char *name;                  /* "run" */
    const char *intro;                 /* what it does, in lines */
    const struct verb_option *options; /* ended by a NULL name */
    const char *operand; /* what follows the options; NULL: nothing */
    int many;            /* one operand or more */
    const char *outro;   /* lines below the options; may be NULL */
};

/*
 * Read a command line into the verb's struct, whose members hold the defaults.
 * Returns the index of the first operand; or -1 after printing the help, or
 * what is wrong, with the exit status in *status.
 */
int verb_parse(const struct verb *v, int argc, char **argv, void *options,
               int *status);

/* Print "grade VERB: what is wrong". Returns EXIT_USAGE. */
int verb_wrong(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
