/*
 * batches.h: a batch of made-up submissions, in a folder of the test's
 *
 * Lab 1, with a given seed; its roster has ada, bob and cyd. Handed in are two
 * attempts of ada's and one of bob's, files of two bytes, all on 1 March 2026
 * at 13:00 UTC; ada's second is said to be of 4 March. ada's deadline is 1
 * March, 12:00.
 */
#ifndef COMMLAB_TESTS_BATCHES_H
#define COMMLAB_TESTS_BATCHES_H

#include "batch.h"
#include "child.h"

#define BATCHES_LAB "lab1-collectives"
#define BATCHES_SEED                                                           \
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Of the task "ada@1". */
#define BATCHES_ADA_1 "14070420082539625952"
#define BATCHES_ADA_2 "11722546251624933913"

struct batches {
    char dir[CHILD_FOLDER], roster[CHILD_FOLDER + 16], in[CHILD_FOLDER + 16],
        ledger[CHILD_FOLDER + 16], spool[CHILD_FOLDER + 16];
    struct batch_options options; /* of these paths; one retry */
    struct batch batch;
};

/* One at a time. */
extern struct batches batches;
void batches_setup(void);
void batches_teardown(void);

/* A shell's line in the folder, which has to succeed. */
void batches_sh(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Open the batch, which has to succeed; it is then to be released. */
void batches_open(void);

/* How many files and folders a folder has; -2: there is no such folder. */
int batches_nfiles(const char *path);

/* err is these words; in them, DIR is the folder. */
void batches_says(const char *err, const char *want);

/* The last grading in the ledger: its body, with its "student", "attempt" and
 * "digest", and "n", how many there are. */
json_t *batches_last_grading(void);

/* A member that is a text; NULL: it is none. */
const char *batches_text(const json_t *j, const char *key);

/* From now on the ledger cannot be written. */
void batches_lose_ledger(void);

/* DIR/bin/PROGRAM is this script of bash's, which runs in DIR. $n is how often
 * the program was called, $spool the spool. */
void batches_answer(const char *program, const char *script);

/* The calls of such programs so far, a line each, are these; they are
 * forgotten. */
void batches_asked(const char *want);

#endif
