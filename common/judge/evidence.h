/*
 * evidence.h: what a rank shows for its work
 *
 * A graded rank writes one file, made beforehand by the judge and capped in
 * size. It holds outputs, not verdicts: bytes that the student's code left in
 * its buffers, counts, times. The judge reads it after all ranks are gone, and
 * trusts nothing in it: lengths are checked, what follows a damaged record or
 * the final one is void, a rank without a final record that holds the run's
 * nonce has not finished. The reader never crashes on a damaged file.
 *
 *     file   := record*
 *     record := {u32 magic, u32 kind, u32 case, u32 iteration, u64 nbytes,
 *                char name[32]} payload, padded to 8
 *
 * A case on one rank is STATUS with RUN_MISSING when it begins, outputs and
 * metrics of its iterations, and STATUS with how it ended: the last one counts.
 */
#ifndef COMMLAB_JUDGE_EVIDENCE_H
#define COMMLAB_JUDGE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

enum evidence_kind {
    EVIDENCE_OUTPUT, /* bytes of an output buffer, red zones included */
    EVIDENCE_METRIC, /* a double */
    EVIDENCE_STATUS, /* how the case ended on this rank: u32 enum run_status */
    EVIDENCE_TEXT,   /* a message for people; no verdict depends on it */
    EVIDENCE_DONE,   /* the last record: the run's nonce */
};

enum run_status { /* of one case on one rank */
                  RUN_OK,
                  RUN_NOT_IMPLEMENTED, /* a hole was reached */
                  RUN_ERROR,   /* the student's function returned an error */
                  RUN_MISSING, /* it never began, or has not ended */
};

enum { EVIDENCE_NAME = 32 }; /* bytes of a record's name, its NUL included */

/* ---- writing, in a rank ------------------------------------------------- */

struct evidence_out;

/* Into a file that exists. NULL with errno set. */
struct evidence_out *evidence_create(const char *path, uint64_t nonce);

/* Into memory: evidence_finish() leaves it in *data, for the caller to free. */
struct evidence_out *evidence_memory(char **data, size_t *nbytes,
                                     uint64_t nonce);

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes);

/* A case begins, or has ended like this, with a text for people or NULL. */
void evidence_put_status(struct evidence_out *e, unsigned case_no,
                         enum run_status status, const char *text);

/* Digest (chain.h) of the outputs put since the last call of this function. */
uint64_t evidence_take_digest(struct evidence_out *e);

/* Writes the final record. 0, or -1 with errno when anything failed to be
 * written, now or earlier. Frees e. */
int evidence_finish(struct evidence_out *e);

/* ---- reading, in the judge ---------------------------------------------- */

struct evidence; /* of all ranks */

/* Without anything yet: every rank "shows no evidence". */
struct evidence *evidence_new(int nranks, uint64_t nonce);

/* A rank's evidence, from memory that was malloc'ed and is now e's. */
void evidence_give(struct evidence *e, int rank, char *data, size_t nbytes);

/*
 * All ranks' files; path_format has one %d for the rank. Missing, damaged or
 * overlong files (more than cap_nbytes) are no error here: their ranks just
 * show less (see evidence_problem).
 */
struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce, size_t cap_nbytes);
void evidence_free(struct evidence *e);

/* Did the rank write its final record, with the right nonce? */
int evidence_done(const struct evidence *e, int rank);
/* "rank 2: the evidence is damaged at byte 96", or NULL. */
const char *evidence_problem(const struct evidence *e, int rank);

/* Has the case begun on this rank? */
int evidence_began(const struct evidence *e, int rank, unsigned case_no);
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

/* Digest (chain.h) of all outputs of an iteration, in the order in which they
 * were put. */
uint64_t evidence_digest(const struct evidence *e, int rank, unsigned case_no,
                         unsigned iteration);

#endif
