/*
 * evidence.h: what a rank shows for its work
 *
 * A graded rank writes one file, made beforehand by the judge and capped in
 * size. It holds outputs, not verdicts: bytes that the student's code left in
 * its buffers, counts, times. The judge reads it after all ranks are gone, and
 * trusts nothing in it: lengths are checked, a record without its case, its
 * iteration or the run's nonce is void, a rank without a final record has not
 * finished. Reader and writer never crash on a damaged file.
 *
 *     file   := header record*
 *     record := {u32 magic, u32 kind, u32 case, u32 iteration, u64 nbytes,
 *                char name[32]} payload, padded to 8
 */
#ifndef COMMLAB_JUDGE_EVIDENCE_H
#define COMMLAB_JUDGE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

enum evidence_kind {
    EVIDENCE_OUTPUT, /* bytes of an output buffer, red zones included */
    EVIDENCE_METRIC, /* a double */
    EVIDENCE_STATUS, /* how the case ended on this rank: enum run_status */
    EVIDENCE_TEXT,   /* a message for people; no verdict depends on it */
    EVIDENCE_DONE,   /* the last record: the run's nonce */
};

enum run_status { /* of one case on one rank */
                  RUN_OK,
                  RUN_NOT_IMPLEMENTED, /* a hole was reached */
                  RUN_ERROR,   /* the student's function returned an error */
                  RUN_MISSING, /* nothing was recorded: crashed or never began */
};

/* ---- writing, in a rank ------------------------------------------------- */

struct evidence_out;
struct evidence_out *evidence_create(const char *path, uint64_t nonce);
void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes);
/* Writes the final record. 0, or -1 with errno when anything failed to be
 * written, now or earlier. Frees e. */
int evidence_finish(struct evidence_out *e);

/* ---- reading, in the judge ---------------------------------------------- */

struct evidence; /* of all ranks */

/* path_format has one %d for the rank. Missing or damaged files are not an
 * error here: their ranks just show nothing (see evidence_problem). */
struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce);
void evidence_free(struct evidence *e);

int evidence_nranks(const struct evidence *e);
/* Did the rank write its final record, with the right nonce? */
int evidence_done(const struct evidence *e, int rank);
/* "rank 2: the file ends inside a record", or NULL. */
const char *evidence_problem(const struct evidence *e, int rank);

enum run_status evidence_status(const struct evidence *e, int rank,
                                unsigned case_no);

/* The payload, or NULL when there is none; *nbytes gets its length. */
const void *evidence_output(const struct evidence *e, int rank,
                            unsigned case_no, unsigned iteration,
                            const char *name, size_t *nbytes);
/* NaN when there is none. */
double evidence_metric(const struct evidence *e, int rank, unsigned case_no,
                       unsigned iteration, const char *name);
const char *evidence_text(const struct evidence *e, int rank, unsigned case_no);

#endif
