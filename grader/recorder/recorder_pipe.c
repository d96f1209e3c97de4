#include "grader/recorder/recorder_pipe.h"

#include <errno.h>  /* errno */
#include <unistd.h> /* read */

/* Take bytes of a rank's execution graph. */
static void take(struct recorder *r, struct rank *k, const char *data,
                 size_t nbytes)
{
    switch (recorder_graph_take(k->graph, data, nbytes)) {
    case RECORDER_GRAPH_TAKEN: break;
    case RECORDER_GRAPH_WHOLE: rank_reply(k->waits, "", 0); break;
    case RECORDER_GRAPH_FULL: rank_hang_up(k, RECORDER_GRAPH); break;
    case RECORDER_GRAPH_FORGED:
        rank_forged(r, k, "changed its execution graph after it was recorded");
        break;
    case RECORDER_GRAPH_FAILED: rank_failed(r, "the execution graph"); break;
    }
    struct format_alloc place;
    while (recorder_graph_placed(k->graph, &place))
        if (recorder_memory_place(r->memory, (uint32_t)(k - r->rank), &place) !=
            0)
            rank_forged(r, k, "said that memory is where it is not");
}

void recorder_pipe_read(struct recorder *r, struct rank *k)
{
    char chunk[RANK_CHUNK];
    const ssize_t n = read(k->connection[RECORDER_GRAPH], chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        rank_hang_up(k, RECORDER_GRAPH);
    else
        take(r, k, chunk, (size_t)n);
}
