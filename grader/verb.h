/*
 * verb.h: what build/grade can be asked to do
 *
 * Each verb has its arguments behind its own name, as main() would, and returns
 * the program's exit status.
 */
#ifndef GRADER_VERB_H
#define GRADER_VERB_H

#include <stdint.h>
#include <stdio.h>

enum { EXIT_FULL = 0, EXIT_NOT_FULL = 1, EXIT_USAGE = 2, EXIT_INFRA = 3 };

int verb_run(int argc, char **argv);    /* one submission */
int verb_batch(int argc, char **argv);  /* a roster's */
int verb_work(int argc, char **argv);   /* a share of a batch, in a Slurm job */
int verb_status(int argc, char **argv); /* what a ledger holds */
int verb_verify(int argc, char **argv); /* was it tampered with? */
int verb_replay(int argc, char **argv); /* one grading, again */
int verb_export(int argc, char **argv);
int verb_similarity(int argc, char **argv);
int verb_audit(int argc, char **argv);

/* Print "grade VERB: what is wrong"; returns EXIT_USAGE. */
int verb_wrong(const char *verb, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A whole number from least to most; -1 if text is none. */
int verb_number(const char *text, long least, long most, int *value);

/* A folder of our own, made if need be, and all that is in it removed. */
int verb_make_folder(const char *path);
void verb_remove_folder(const char *path);

#endif
