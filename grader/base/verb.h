/*
 * verb.h: what build/grade can do, and how a verb reads its command line
 *
 * Each verb gets its arguments behind its own name, as main() would, and
 * returns the program's exit status.
 */
#ifndef GRADER_VERB_H
#define GRADER_VERB_H

#include <stddef.h> /* offsetof */

enum { EXIT_FULL = 0, EXIT_NOT_FULL = 1, EXIT_USAGE = 2, EXIT_INFRA = 3 };

int verb_run(int argc, char **argv);    /* one submission */
int verb_intake(int argc, char **argv); /* a download, sorted by student */
int verb_batch(int argc, char **argv);  /* a roster's */
int verb_work(int argc, char **argv);   /* a share of a batch, in a Slurm job */
int verb_status(int argc, char **argv); /* what a ledger holds */
int verb_verify(int argc, char **argv); /* has it been tampered with? */
int verb_replay(int argc, char **argv); /* one grading, again */
int verb_export(int argc, char **argv);
int verb_override(int argc, char **argv); /* what people say of a grading */
int verb_clear(int argc, char **argv);
int verb_excuse(int argc, char **argv);
int verb_extend(int argc, char **argv);
int verb_comment(int argc, char **argv);
int verb_regrade(int argc, char **argv); /* after a change of the plan */
int verb_serve(int argc, char **argv);   /* how far it is, live */
int verb_doctor(int argc, char **argv);  /* what a machine lacks */
int verb_similarity(int argc, char **argv);
int verb_audit(int argc, char **argv);

/* ---- command lines ------------------------------------------------------- */

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
    const char *value; /* what the help calls its value; NULL of a flag */
    size_t at;         /* offset in the verb's own struct of options */
    const char *help;  /* lines for the help; NULL: not for people */
    int required;      /* a text that has to be given */
    char letter;       /* -letter as well */
    int least, most;
    const char *const *words; /* ended by NULL */
};

/* An option, with what else it has: VERB_OPTION(VERB_TEXT, "lab", "LAB",
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
    const char *operand; /* what is to follow the options; NULL: nothing */
    int many;            /* one operand or more */
    const char *outro;   /* lines below the options, or NULL */
};

/*
 * Read a command line into the verb's struct, whose members are the defaults.
 * Returns the index of the first operand; or -1 having printed the help, or
 * what is wrong, with the exit status in *status.
 */
int verb_parse(const struct verb *v, int argc, char **argv, void *options,
               int *status);

/* Print "grade VERB: what is wrong"; returns EXIT_USAGE. */
int verb_wrong(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
