/*
 * blocks.h: a rank's part of a larger result, with a tolerance for each number
 *
 * Ranks that split a sequence, or a matrix, each show rows of it. If a rank's
 * rows are wrong, the judge has the whole to look them up in: a row that is
 * right for another place was mixed up on its way. Otherwise the wrong numbers
 * tell what they can (advice.h).
 */
#ifndef COMMLAB_JUDGE_BLOCKS_H
#define COMMLAB_JUDGE_BLOCKS_H

#include "judge/judge.h"

struct blocks {
    const double *want, *bound; /* the whole; got may be off by `bound` */
    size_t row, nrows;          /* numbers in a row, rows of a rank */
    int nranks;
    size_t part; /* rows from each rank, in rank order; 0: the rows are not from
                    others */
    /* The position in the whole of the first number of a rank's row; the rest
     * of the row follows it. */
    size_t (*at)(const void *arg, int rank, size_t row);
    const void *arg;
};

/*
 * If numbers of a rank's output are wrong, fail the verdict. `where` writes the
 * beginning of the message for number i, "o[3] on rank 1, in row 9 of the
 * sequence"; the values, the number of wrong ones and advice follow it.
 */
void blocks_compare(const struct blocks *b, const float *got, int rank,
                    void (*where)(const void *arg, int rank, size_t i,
                                  char *out, size_t nbytes),
                    struct judge_verdict *v);

#endif
