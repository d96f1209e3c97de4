/*
 * evidence.h: the evidence of a rank: its recorded outputs
 *
 * A graded rank hands its records to a recorder (base/recorder.h), which writes
 * them to a file of limited size that no rank can reach. They are outputs, not
 * verdicts: bytes that the student's code left in its buffers, counts, times.
 * The judge reads them after all ranks have ended, and trusts nothing in them:
 * lengths are checked, records after a damaged one or the final one are
 * ignored, and a rank has finished only if its final record holds the run's
 * nonce, which it learns after its last case. The reader never crashes on a
 * damaged file.
 *
 *     file   := record*
 *     record := {u32 magic, u32 kind, u32 case, u32 iteration, u64 nbytes,
 *                char name[32]} payload, padded to 8
 *
 * The records of a case on one rank are a STATUS of RUN_MISSING when it begins,
 * outputs and metrics of its iterations, and the final STATUS: the last one
 * counts.
 */
#ifndef COMMLAB_JUDGE_EVIDENCE_H
#define COMMLAB_JUDGE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "judge/draw.h"

enum evidence_kind {
    EVIDENCE_OUTPUT, /* bytes of an output buffer, red zones included */
    EVIDENCE_METRIC, /* a double */
    EVIDENCE_STATUS, /* how the case ended on this rank: u32 enum run_status */
    EVIDENCE_TEXT,   /* a message for the user; no verdict depends on it */
    EVIDENCE_DONE,   /* the last record: the run's nonce */
    EVIDENCE_NEXT,   /* a request, not kept: the next case, if all ranks ask */
    EVIDENCE_DRAW,   /* a request, not kept: values (struct evidence_ask) */
};

enum run_status { /* of one case on one rank */
                  RUN_OK,
                  RUN_NOT_IMPLEMENTED, /* unimplemented code was reached */
                  RUN_ERROR,   /* the student's function returned an error */
                  RUN_MISSING, /* it has not begun, or not ended */
};

enum { EVIDENCE_NAME = 32 }; /* bytes of a record's name, its NUL included */

/* ---- writing, in a rank -------------------------------------------------- */

struct evidence_out;

/* Write to the recorder of a folder. NULL with errno on failure. */
struct evidence_out *evidence_join(const char *dir, uint32_t rank);

/* Write to memory: evidence_finish() stores it in *data, which the caller
 * frees. */
struct evidence_out *evidence_memory(char **data, size_t *nbytes,
                                     uint64_t nonce);

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes);

/* A case has begun, or has ended with this status. text: a message for the
 * user, or NULL. */
void evidence_put_status(struct evidence_out *e, unsigned case_no,
                         enum run_status status, const char *text);

/*
 * The next case that the recorder has for this rank, when all ranks have asked
 * for one: a text, from malloc. Stops the process if the recorder is gone.
 */
char *evidence_next(struct evidence_out *e);

struct evidence_ask { /* a request's payload */
    struct draw_ask draw;
    uint64_t nbytes;
    uint64_t offset; /* in the file that comes with the request */
    uint64_t to_file;
};

/* True if there is a recorder, which has the seeds. */
int evidence_has_recorder(const struct evidence_out *e);

/*
 * Have the recorder draw values (draw.h) for an iteration, below 0: warm-up. It
 * writes them to file fd from ask->offset on, if ask->to_file; else to out.
 * Stops the process if the recorder is gone.
 */
void evidence_draw(struct evidence_out *e, unsigned case_no, int iteration,
                   const struct evidence_ask *ask, int fd, void *out);

/* What the final record has to hold. */
void evidence_key(struct evidence_out *e, uint64_t nonce);

/* Digest (chain.h) of the outputs put since the last call of this function. */
uint64_t evidence_take_digest(struct evidence_out *e);

/* Write the final record and free e. Returns 0, or -1 with errno if any write
 * failed, now or earlier. */
int evidence_finish(struct evidence_out *e);

/* ---- reading, in the judge ----------------------------------------------- */

struct evidence; /* of all ranks */

/* No evidence yet: evidence_problem() of every rank says so. */
struct evidence *evidence_new(int nranks, uint64_t nonce);

/* Set a rank's evidence; takes ownership of data, which must be from malloc. */
void evidence_give(struct evidence *e, int rank, char *data, size_t nbytes);

/*
 * Load all ranks' files; path_format has one %d for the rank. Missing, damaged
 * or overlong files (more than cap_nbytes) are not an error here: the evidence
 * of their ranks is incomplete (see evidence_problem).
 */
struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce, size_t cap_nbytes);
void evidence_free(struct evidence *e);

/* True if the rank wrote its final record, with the right nonce. */
int evidence_done(const struct evidence *e, int rank);
/* "rank 2: the evidence is damaged at byte 96", or NULL. */
const char *evidence_problem(const struct evidence *e, int rank);

/* True if the case has begun on this rank. */
int evidence_began(const struct evidence *e, int rank, unsigned case_no);
enum run_status evidence_status(const struct evidence *e, int rank,
                                unsigned case_no);

/* The payload, or NULL if there is none; *nbytes gets its length. */
const void *evidence_output(const struct evidence *e, int rank,
                            unsigned case_no, unsigned iteration,
                            const char *name, size_t *nbytes);
/* The number of outputs of the same length that were put before this one in the
 * same iteration. */
int evidence_output_number(const struct evidence *e, int rank, unsigned case_no,
                           unsigned iteration, const char *name);
/* NaN if there is none. */
double evidence_metric(const struct evidence *e, int rank, unsigned case_no,
                       unsigned iteration, const char *name);
const char *evidence_text(const struct evidence *e, int rank, unsigned case_no);

/* Digest (chain.h) of all outputs of an iteration, in the order in which they
 * were put. */
uint64_t evidence_digest(const struct evidence *e, int rank, unsigned case_no,
                         unsigned iteration);

#endif
