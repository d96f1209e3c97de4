/*
 * Part 5: several experts for each token, several on each rank, and a limit on
 * the tokens that an expert accepts.
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

void moe_choose(const struct moe *m, const float *prob, int ntokens,
                int *expert, float *gate)
{
    // Yours to write: part 5: choose (about 20 lines)
    // k passes over a token's probabilities, each of which finds the best
    // of those that are not taken yet. What does > do with two equal
    // ones, and what would >= do?
    LAB_HOLE("part 5: choose");
}

/* Count this rank's choices for each expert, and give the counts to all ranks:
 * entry r * nexperts + e of m->host_counts is rank r's for expert e. */
static ncclResult_t exchange_table(const struct moe *m, const int *expert,
                                   int nchoices)
{
    // Yours to write: part 5: table (about 15 lines)
    // what has to be known to decide on rank 1's tokens? NCCL moves
    // device memory: m->counts has space for the table and one row more.
    LAB_HOLE("part 5: table");
}

/* From the table to what is kept. */
static void accept(const struct moe *m, struct moe_kept *kept)
{
    // Yours to write: part 5: accept (about 20 lines)
    // for each expert, go through the ranks: how many places are left
    // when a rank's turn comes? A rank's own row is what it sends, its
    // own experts' columns are what it receives.
    LAB_HOLE("part 5: accept");
}

/* Give each choice its place in packed, if its expert accepts it.
 * kept->send_count and send_begin are set already. */
static void place_choices(const struct moe *m, const int *expert, int nchoices,
                          int *token, int *place, const struct moe_kept *kept)
{
    // Yours to write: part 5: place (about 10 lines)
    // moe_sort's last loop, with a test: has this expert's block any
    // place left?
    LAB_HOLE("part 5: place");
}

ncclResult_t moe_keep(const struct moe *m, const int *expert, int ntokens,
                      int *token, int *place, struct moe_kept *kept)
{
    LAB_TRY(exchange_table(m, expert, ntokens * m->k));
    accept(m, kept);
    place_choices(m, expert, ntokens * m->k, token, place, kept);
    return ncclSuccess;
}

ncclResult_t moe_balance(const struct moe *m, const float *prob,
                         const int *expert, int ntokens, float *loss)
{
    // Yours to write: part 5: balance (about 25 lines)
    // two vectors of nexperts floats next to each other: one all-reduce.
    // m->counts and m->host_counts have space for both.
    LAB_HOLE("part 5: balance");
}

ncclResult_t moe_travel(const struct moe *m, const struct moe_kept *kept,
                        float *packed, float *arrived, int back,
                        cudaStream_t stream)
{
    // Yours to write: part 5: travel (about 20 lines)
    // a message for each expert, in one group: then all tokens of an
    // expert arrive in one block. Messages to your own rank are allowed.
    LAB_HOLE("part 5: travel");
}

ncclResult_t moe_layer_topk(const struct moe *m, const float *in,
                            const float *prob, int ntokens, float *out,
                            const struct moe_topk_space *space)
{
    // Yours to write: part 5: layer (about 30 lines)
    // as in part 3; each of this rank's experts works on its own block of
    // arrived. The end is moe_combine().
    LAB_HOLE("part 5: layer");
}
