#include "grader/recorder/recorder_device.h"

#include <errno.h>      /* errno */
#include <sodium.h>     /* crypto_shorthash */
#include <stdlib.h>     /* free */
#include <sys/socket.h> /* MSG_DONTWAIT */

#include "grader/recorder/recorder_pipe.h"

/* A number for range i of a rank's operation. The rank can't predict it, and it
 * is the same in a regrading. */
static uint64_t number_for(const struct recorder *r, const struct rank *k,
                           uint32_t index, size_t i)
{
    const uint64_t what[] = {(uint64_t)(k - r->rank), index, i};
    uint64_t number;
    _Static_assert(sizeof r->job->where == crypto_shorthash_KEYBYTES &&
                       sizeof number == crypto_shorthash_BYTES,
                   "crypto_shorthash");
    crypto_shorthash((unsigned char *)&number, (const unsigned char *)what,
                     sizeof what, (const unsigned char *)r->job->where);
    return number;
}

/* Take what a rank has sent of its graph so far, without waiting. */
static void catch_up(struct recorder *r, struct rank *k)
{
    while (rank_is_due(k, RECORDER_GRAPH))
        recorder_pipe_read(r, k);
}

/*
 * Spoil what an operation overwrites; the rank is about to run it. If the
 * recorder doesn't have the operation's record yet, the record is on its way.
 * Nothing is spoiled if the rank's graph has ended or is too large.
 */
static void begin(struct recorder *r, struct rank *k, uint32_t index)
{
    struct graph_access *range = NULL;
    size_t n = 0;
    while (k->graph && index > recorder_graph_nnodes(k->graph) &&
           rank_is_due(k, RECORDER_GRAPH))
        recorder_pipe_read(r, k);
    if (k->connection[RECORDER_GRAPH] < 0)
        return;
    switch (recorder_graph_begin(k->graph, index, &range, &n)) {
    case RECORDER_GRAPH_FAILED: rank_failed(r, "the execution graph"); break;
    case RECORDER_GRAPH_FORGED:
        rank_forged(r, k, "began an operation that it had not recorded");
        break;
    default: break;
    }
    for (size_t i = 0; i < n; i++) {
        // another rank's notes about its memory were sent before this rank
        // could know of that memory
        const uint64_t owner = range[i].alloc >> 32;
        if (!recorder_memory_knows(r->memory, range[i].alloc) &&
            owner < (uint64_t)r->job->nranks && &r->rank[owner] != k)
            catch_up(r, &r->rank[owner]);
        if (recorder_memory_spoil(r->memory, &range[i],
                                  number_for(r, k, index, i)) != 0)
            rank_forged(r, k, "began an operation outside of its memory");
    }
    free(range);
}

/* A note is complete. */
static void finish_note(struct recorder *r, struct rank *k)
{
    const struct recorder_note n = k->note;
    const int fd = k->heap;
    k->nnote = 0;
    k->heap = -1;
    if (n.kind == RECORDER_BEGIN && fd < 0) {
        begin(r, k, n.number);
        rank_reply(k->connection[RECORDER_MEMORY], "", 0);
    } else if (recorder_memory_heap(r->memory, (uint32_t)(k - r->rank),
                                    n.number, fd) != 0) {
        rank_forged(r, k, "said that memory is where it is not");
    }
}

void recorder_device_take(struct recorder *r, struct rank *k)
{
    const ssize_t n = recorder_receive(
        k->connection[RECORDER_MEMORY], (char *)&k->note + k->nnote,
        sizeof k->note - k->nnote, MSG_DONTWAIT, &k->heap);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        rank_hang_up(k, RECORDER_MEMORY);
    else if ((k->nnote += (size_t)n) == sizeof k->note)
        finish_note(r, k);
}
