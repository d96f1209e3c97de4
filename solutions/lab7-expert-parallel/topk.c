/*
 * Part 5: several experts for each token, several on each rank, and a limit on
 * the tokens that an expert accepts.
 */
#include "lab7.h"

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

void moe_choose(const struct moe *m, const float *prob, int ntokens,
                int *expert, float *gate)
{
    // BEGIN HOLE part 5: choose (about 20 lines)
    // HINT: k passes over a token's probabilities, each of which finds the best
    // HINT: of those that are not taken yet. What does > do with two equal
    // HINT: ones, and what would >= do?
    const int n = m->nranks * m->each;
    for (int t = 0; t < ntokens; t++) {
        const float *const p = prob + (size_t)t * (size_t)n;
        int *const best = expert + t * m->k;
        float sum = 0;
        for (int j = 0; j < m->k; j++) {
            best[j] = -1;
            for (int e = 0; e < n; e++) {
                int taken = 0;
                for (int i = 0; i < j; i++)
                    taken |= best[i] == e;
                if (!taken && (best[j] < 0 || p[e] > p[best[j]]))
                    best[j] = e;
            }
            sum += p[best[j]];
        }
        for (int j = 0; j < m->k; j++)
            gate[t * m->k + j] = p[best[j]] / sum;
    }
    // END HOLE
}

/* Count this rank's choices for each expert, and give the counts to all ranks:
 * entry r * nexperts + e of m->host_counts is rank r's for expert e. */
static ncclResult_t exchange_table(const struct moe *m, const int *expert,
                                   int nchoices)
{
    // BEGIN HOLE part 5: table (about 15 lines)
    // HINT: what has to be known to decide on rank 1's tokens? NCCL moves
    // HINT: device memory: m->counts has space for the table and one row more.
    const int n = m->nranks * m->each;
    int *const table = m->host_counts, *const own = table + m->nranks * n;
    int *const sent = m->counts + m->nranks * n;
    for (int e = 0; e < n; e++)
        own[e] = 0;
    for (int i = 0; i < nchoices; i++)
        own[expert[i]]++;
    LAB_TRY_CUDA(cudaMemcpyAsync(sent, own, (size_t)n * sizeof *own,
                                 cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(
        ncclAllGather(sent, m->counts, (size_t)n, ncclInt, m->comm, m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(table, m->counts,
                                 (size_t)(m->nranks * n) * sizeof *table,
                                 cudaMemcpyDeviceToHost, m->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(m->stream));
    return ncclSuccess;
    // END HOLE
}

/* From the table to what is kept. */
static void accept(const struct moe *m, struct moe_kept *kept)
{
    // BEGIN HOLE part 5: accept (about 20 lines)
    // HINT: for each expert, go through the ranks: how many places are left
    // HINT: when a rank's turn comes? A rank's own row is what it sends, its
    // HINT: own experts' columns are what it receives.
    const int n = m->nranks * m->each;
    kept->nsend = kept->nrecv = 0;
    for (int e = 0; e < n; e++) {
        const int l = e - m->rank * m->each; // number among this rank's own
        for (int r = 0, left = m->capacity; r < m->nranks; r++) {
            const int wanted = m->host_counts[r * n + e];
            const int count = wanted < left ? wanted : left;
            left -= count;
            if (r == m->rank) {
                kept->send_count[e] = count;
                kept->send_begin[e] = kept->nsend;
                kept->nsend += count;
            }
            if (l >= 0 && l < m->each) {
                kept->recv_count[l * m->nranks + r] = count;
                kept->recv_begin[l * m->nranks + r] = kept->nrecv;
                kept->nrecv += count;
            }
        }
    }
    // END HOLE
}

/* Give each choice its place in packed, if its expert accepts it.
 * kept->send_count and send_begin are set already. */
static void place_choices(const struct moe *m, const int *expert, int nchoices,
                          int *token, int *place, const struct moe_kept *kept)
{
    // BEGIN HOLE part 5: place (about 10 lines)
    // HINT: moe_sort's last loop, with a test: has this expert's block any
    // HINT: place left?
    int taken[MOE_MAX_EXPERTS] = {0};
    for (int i = 0; i < nchoices; i++) {
        const int e = expert[i];
        place[i] = -1;
        if (taken[e] == kept->send_count[e])
            continue;
        place[i] = kept->send_begin[e] + taken[e]++;
        token[place[i]] = i / m->k;
    }
    // END HOLE
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
    // BEGIN HOLE part 5: balance (about 25 lines)
    // HINT: two vectors of nexperts floats next to each other: one all-reduce.
    // HINT: m->counts and m->host_counts have space for both.
    const int n = m->nranks * m->each, nchoices = ntokens * m->k;
    float *const host = (float *)m->host_counts;
    float *const sum = (float *)m->counts;
    for (int e = 0; e < 2 * n; e++)
        host[e] = 0;
    for (int i = 0; i < nchoices; i++)
        host[expert[i]] += 1;
    for (int t = 0; t < ntokens; t++)
        for (int e = 0; e < n; e++)
            host[n + e] += prob[(size_t)t * (size_t)n + (size_t)e];
    LAB_TRY_CUDA(cudaMemcpyAsync(sum, host, 2 * (size_t)n * sizeof *sum,
                                 cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(ncclAllReduce(sum, sum, 2 * (size_t)n, ncclFloat, ncclSum, m->comm,
                          m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(host, sum, 2 * (size_t)n * sizeof *sum,
                                 cudaMemcpyDeviceToHost, m->stream));
    LAB_TRY_CUDA(cudaStreamSynchronize(m->stream));
    const float all = (float)m->nranks * (float)ntokens;
    *loss = 0;
    for (int e = 0; e < n; e++)
        *loss +=
            (float)n * (host[e] / (all * (float)m->k)) * (host[n + e] / all);
    return ncclSuccess;
    // END HOLE
}

ncclResult_t moe_travel(const struct moe *m, const struct moe_kept *kept,
                        float *packed, float *arrived, int back,
                        cudaStream_t stream)
{
    // BEGIN HOLE part 5: travel (about 20 lines)
    // HINT: a message for each expert, in one group: then all tokens of an
    // HINT: expert arrive in one block. Messages to your own rank are allowed.
    const size_t dim = (size_t)m->dim;
    LAB_TRY(ncclGroupStart());
    for (int e = 0; e < m->nranks * m->each; e++) {
        const int r = e / m->each, at = e % m->each * m->nranks + r;
        float *const mine = packed + (size_t)kept->send_begin[e] * dim;
        float *const theirs = arrived + (size_t)kept->recv_begin[at] * dim;
        const size_t nmine = (size_t)kept->send_count[e] * dim;
        const size_t ntheirs = (size_t)kept->recv_count[at] * dim;
        LAB_TRY(ncclSend(back ? theirs : mine, back ? ntheirs : nmine,
                         ncclFloat, r, m->comm, stream));
        LAB_TRY(ncclRecv(back ? mine : theirs, back ? nmine : ntheirs,
                         ncclFloat, r, m->comm, stream));
    }
    return ncclGroupEnd();
    // END HOLE
}

ncclResult_t moe_layer_topk(const struct moe *m, const float *in,
                            const float *prob, int ntokens, float *out,
                            const struct moe_topk_space *space)
{
    // BEGIN HOLE part 5: layer (about 30 lines)
    // HINT: as in part 3; each of this rank's experts works on its own block of
    // HINT: arrived. The end is moe_combine().
    const struct moe_lists *const h = &space->host, *const d = &space->device;
    const size_t nchoices = (size_t)(ntokens * m->k), dim = (size_t)m->dim;
    struct moe_kept kept;
    moe_choose(m, prob, ntokens, h->expert, h->gate);
    LAB_TRY_CUDA(cudaMemcpyAsync(d->gate, h->gate, nchoices * sizeof *d->gate,
                                 cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(moe_keep(m, h->expert, ntokens, h->token, h->place, &kept));
    LAB_TRY_CUDA(cudaMemcpyAsync(d->token, h->token,
                                 (size_t)kept.nsend * sizeof *d->token,
                                 cudaMemcpyHostToDevice, m->stream));
    LAB_TRY(
        moe_gather(in, d->token, kept.nsend, m->dim, space->packed, m->stream));
    LAB_TRY(moe_travel(m, &kept, space->packed, space->arrived, 0, m->stream));
    for (int l = 0; l < m->each; l++) {
        const int first = kept.recv_begin[l * m->nranks];
        const int end =
            l + 1 < m->each ? kept.recv_begin[(l + 1) * m->nranks] : kept.nrecv;
        const size_t at = (size_t)first * dim;
        LAB_TRY(moe_expert_at(m, l, space->arrived + at, end - first,
                              space->processed + at));
    }
    LAB_TRY(
        moe_travel(m, &kept, space->packed, space->processed, 1, m->stream));
    LAB_TRY_CUDA(cudaMemcpyAsync(d->place, h->place,
                                 nchoices * sizeof *d->place,
                                 cudaMemcpyHostToDevice, m->stream));
    return moe_combine(space->packed, d->place, d->gate, ntokens, m->k, m->dim,
                       out, m->stream);
    // END HOLE
}
