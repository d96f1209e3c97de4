/*
 * batches.h: a batch of invented submissions, in a temporary folder
 *
 * The batch grades lab 1 with a given seed. Its roster has ada, bob and cyd.
 * There are two attempts of ada's and one of bob's, files of two bytes, all
 * dated 1 March 2026, 13:00 UTC; ada's second attempt claims to be from 4
 * March. ada's deadline is 1 March, 12:00.
 */
#ifndef COMMLAB_TESTS_BATCHES_H
#define COMMLAB_TESTS_BATCHES_H

#include "child.h"
#include "grader/batch/batch.h"

#define BATCHES_LAB "lab1-collectives"
#define BATCHES_SEED                                                           \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* The seeds of the tasks "ada@1" and "ada@2". */
#define BATCHES_ADA_1 "14070420082539625952"
#define BATCHES_ADA_2 "11722546251624933913"

struct batches {
    char dir[CHILD_FOLDER], roster[CHILD_FOLDER + 16], in[CHILD_FOLDER + 16],
        ledger[CHILD_FOLDER + 16], spool[CHILD_FOLDER + 16];
    struct batch_options options; /* options for these paths, with one retry */
    struct batch batch;
};

/* The current batch; there is one at a time. */
extern struct batches batches;
void batches_setup(void);
void batches_teardown(void);

/* Run a shell command in the folder. It must succeed. */
void batches_sh(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Open the batch, which must succeed. The caller releases it. */
void batches_open(void);

/* The number of files and folders in a folder; -2 if it doesn't exist. */
int batches_nfiles(const char *path);

/* Check that err is `want`, in which DIR stands for the folder. */
void batches_says(const char *err, const char *want);

/* The body of the last grading in the ledger, with added "student", "attempt"
 * and "digest", and "n", the number of gradings. */
json_t *batches_last_grading(void);

/* A member that is a text; NULL if it isn't one. */
const char *batches_text(const json_t *j, const char *key);

/* Make the ledger unwritable from now on. */
void batches_lose_ledger(void);

/* Install DIR/bin/PROGRAM with this bash script, which runs in DIR. In it, $n
 * is the number of calls of the program so far, and $spool the spool. */
void batches_answer(const char *program, const char *script);

/* Check that the calls of such programs so far are these, one per line,
 * and forget them. */
void batches_asked(const char *want);

#endif
