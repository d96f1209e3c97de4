/*
 * evidence.h: the evidence of a rank: its recorded outputs
 *
 * A graded rank hands its records to a recorder (base/recorder.h), which writes
 * them to a file of limited size that no rank can reach. They are outputs, not
 * verdicts: bytes that the student's code left in its buffers, counts, times.
 * The judge reads the records after all ranks have ended, and trusts nothing in
 * them. It checks lengths, ignores records after a damaged one or after the
 * final one, and takes a rank as finished only if its final record holds the
 * run's nonce, which the rank learns after its last case. A damaged file never
 * crashes the reader.
 *
 *     file   := record*
 *     record := {u32 magic, u32 kind, u32 case, u32 iteration, u64 nbytes,
 *                char name[32]} payload, padded to 8
 *
 * A case on one rank starts with a STATUS of RUN_MISSING, followed by the
 * outputs and metrics of its iterations, and the final STATUS. The last STATUS
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
    EVIDENCE_NEXT,   /* a request, not kept: the next case, once all ranks
                        ask */
    EVIDENCE_DRAW,   /* a request, not kept: values (struct evidence_ask) */
};

enum run_status { /* how a case ended on one rank */
                  RUN_OK,
                  RUN_NOT_IMPLEMENTED, /* unimplemented code was reached */
                  RUN_ERROR,   /* the student's function returned an error */
                  RUN_MISSING, /* it has not started, or not ended */
};

enum { EVIDENCE_NAME = 32 }; /* bytes of a record's name, its NUL included */

/* ---- writing, in a rank -------------------------------------------------- */

struct evidence_out;

/* Connect to the recorder of a folder. NULL with errno on failure. */
struct evidence_out *evidence_join(const char *dir, uint32_t rank);

/* Write to memory. evidence_finish() stores the records in *data, which
 * the caller frees. */
struct evidence_out *evidence_memory(char **data, size_t *nbytes,
                                     uint64_t nonce);

void evidence_put(struct evidence_out *e, enum evidence_kind kind,
                  unsigned case_no, unsigned iteration, const char *name,
                  const void *data, size_t nbytes);

/* Record that a case has started, or has ended with this status. text is a
 * message for the user, or NULL. */
void evidence_put_status(struct evidence_out *e, unsigned case_no,
                         enum run_status status, const char *text);

/*
 * Wait until all ranks have asked for a case, and return the next one that the
 * recorder has for this rank, as text from malloc(). Ends the process if the
 * recorder is gone.
 */
char *evidence_next(struct evidence_out *e);

struct evidence_ask { /* a request's payload */
    struct draw_ask draw;
    uint64_t nbytes;
    uint64_t offset; /* in the file passed along with the request */
    uint64_t to_file;
};

/* True if there is a recorder, which keeps the seeds. */
int evidence_has_recorder(const struct evidence_out *e);

/*
 * Have the recorder draw values (draw.h) for an iteration; below 0 it is
 * warm-up. It writes them to file fd from ask->offset on if ask->to_file is
 * set, else to out. Ends the process if the recorder is gone.
 */
void evidence_draw(struct evidence_out *e, unsigned case_no, int iteration,
                   const struct evidence_ask *ask, int fd, void *out);

/* Set the nonce that the final record must hold. */
void evidence_key(struct evidence_out *e, uint64_t nonce);

/* Digest (chain.h) of the outputs put since the previous call. */
uint64_t evidence_take_digest(struct evidence_out *e);

/* Write the final record and free e. Returns 0, or -1 with errno if any write
 * failed, now or earlier. */
int evidence_finish(struct evidence_out *e);

/* ---- reading, in the judge ----------------------------------------------- */

struct evidence; /* the evidence of all ranks */

/* Start without any evidence: evidence_problem() reports this for every
 * rank. */
struct evidence *evidence_new(int nranks, uint64_t nonce);

/* Set a rank's evidence. Takes ownership of data, which malloc() returned. */
void evidence_give(struct evidence *e, int rank, char *data, size_t nbytes);

/*
 * Load all ranks' files; path_format has one %d for the rank. A file that is
 * missing, damaged or longer than cap_nbytes is not an error here: that rank's
 * evidence is incomplete (see evidence_problem()).
 */
struct evidence *evidence_load(const char *path_format, int nranks,
                               uint64_t nonce, size_t cap_nbytes);
void evidence_free(struct evidence *e);

/* True if the rank wrote its final record with the right nonce. */
int evidence_done(const struct evidence *e, int rank);
/* "rank 2: the evidence is damaged at byte 96", or NULL. */
const char *evidence_problem(const struct evidence *e, int rank);

/* True if the case has started on this rank. */
int evidence_began(const struct evidence *e, int rank, unsigned case_no);
enum run_status evidence_status(const struct evidence *e, int rank,
                                unsigned case_no);

/* The bytes of an output, or NULL if there is none; *nbytes gets their
 * number. */
const void *evidence_output(const struct evidence *e, int rank,
                            unsigned case_no, unsigned iteration,
                            const char *name, size_t *nbytes);
/* How many outputs of the same length the iteration has put before this one. */
int evidence_output_number(const struct evidence *e, int rank, unsigned case_no,
                           unsigned iteration, const char *name);
/* The value of a metric; NaN if there is none. */
double evidence_metric(const struct evidence *e, int rank, unsigned case_no,
                       unsigned iteration, const char *name);
const char *evidence_text(const struct evidence *e, int rank, unsigned case_no);

/* Digest (chain.h) of all outputs of an iteration, in the order in which they
 * were put. */
uint64_t evidence_digest(const struct evidence *e, int rank, unsigned case_no,
                         unsigned iteration);

#endif
