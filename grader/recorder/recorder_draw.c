#define _GNU_SOURCE
#include "grader/recorder/recorder_draw.h"

#include <stdlib.h> /* malloc */
#include <unistd.h> /* pwrite */

#include "grader/recorder/recorder_cases.h"

/*
 * True if the file's pages exist. Pages that don't exist have no contents on
 * the device either (SIMGPU_DATALESS), and writing them would be charged to the
 * grader.
 */
static int has_pages(int fd, uint64_t at, uint64_t n)
{
    return lseek(fd, (off_t)at, SEEK_DATA) == (off_t)at &&
           lseek(fd, (off_t)at, SEEK_HOLE) >= (off_t)(at + n);
}

struct rank *recorder_draw_from(struct recorder *r, struct rank *k)
{
    return k->value.ask.draw.of_root ? &r->rank[0] : k;
}

/* Draw values of an iteration. Returns 0, or -1 for a request that the kit
 * never makes. */
static int draw(struct recorder *r, struct rank *k,
                const struct evidence_ask *ask, void *out)
{
    const int iteration = (int32_t)k->head.iteration;
    struct rank *const from = recorder_draw_from(r, k);
    if (from != k && iteration >= 0 && k->head.iteration > from->iteration)
        recorder_cases_iteration(from, k->head.iteration);
    return r->job->draw(r->job->arg, (int)(from - r->rank), r->now, iteration,
                        iteration < 0 ? CHAIN_NOTHING : from->before,
                        &ask->draw, out, ask->nbytes);
}

/* Draw values that were requested with good reason, and deliver them. */
static void hand_out(struct recorder *r, struct rank *k,
                     const struct evidence_ask *ask)
{
    void *const out = malloc(ask->nbytes + 1);
    if (!out)
        rank_failed(r, "values of a case");
    else if (draw(r, k, ask, out) != 0)
        rank_forged(r, k, "asked for values that there are not");
    else if (ask->to_file && pwrite(k->fd, out, ask->nbytes,
                                    (off_t)ask->offset) != (ssize_t)ask->nbytes)
        rank_failed(r, "the memory of a device");
    else
        rank_reply(k->connection[RECORDER_EVIDENCE], out,
                   ask->to_file ? 0 : ask->nbytes);
    if (r->end.failed[0])
        rank_hang_up(k, RECORDER_EVIDENCE); // the rank waits for a reply
    free(out);
}

void recorder_draw_answer(struct recorder *r, struct rank *k)
{
    const struct evidence_ask ask = k->value.ask;
    k->drawn += ask.nbytes;
    if (k->head.nbytes != sizeof ask || ask.nbytes > RECORDER_DRAW_CAP ||
        k->drawn > RECORDER_DRAWN_CAP ||
        (ask.to_file && !recorder_memory_has(k->fd, ask.offset, ask.nbytes)))
        rank_forged(r, k, "asked for values that there are not");
    else if (ask.to_file && !has_pages(k->fd, ask.offset, ask.nbytes))
        rank_reply(k->connection[RECORDER_EVIDENCE], NULL, 0);
    else
        hand_out(r, k, &ask);
    if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}
