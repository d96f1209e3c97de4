#include "recorder_take.h"

#include <errno.h>      /* errno */
#include <poll.h>       /* poll */
#include <sys/socket.h> /* MSG_DONTWAIT */
#include <unistd.h>     /* read */

#include "recorder_device.h"
#include "recorder_evidence.h"

enum { CHUNK = 64 << 10 };

/* Bytes of a rank's execution graph. */
static void take_graph(struct recorder *r, struct rank *k, const char *data,
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

void recorder_take_some(struct recorder *r, struct rank *k,
                        enum recorder_role role)
{
    char chunk[CHUNK];
    if (role == RECORDER_MEMORY) {
        recorder_device_take(r, k);
        return;
    }
    const int from = k->connection[role];
    const ssize_t n =
        role == RECORDER_GRAPH
            ? read(from, chunk, sizeof chunk)
            : recorder_receive(from, chunk, sizeof chunk, MSG_DONTWAIT, &k->fd);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        rank_hang_up(k, role);
    } else if (role == RECORDER_EVIDENCE) {
        recorder_evidence_take(r, k, chunk, (size_t)n);
    } else if (role == RECORDER_GRAPH) {
        take_graph(r, k, chunk, (size_t)n);
    }
}

void recorder_take_all(struct recorder *r, struct rank *k,
                       enum recorder_role role)
{
    while (recorder_take_is_due(k->connection[role]))
        recorder_take_some(r, k, role);
}

int recorder_take_is_due(int connection)
{
    struct pollfd p = {connection, POLLIN, 0};
    return connection >= 0 && poll(&p, 1, 0) > 0;
}
