/*
 * peers.h: the channels over which NCCL sends to one peer (private to
 * common/topo)
 *
 * NCCL gives a communicator a power of two of channels for messages, and
 * splits a message over some of them [addP2pToPlan() in src/enqueue.cc]: as few
 * as let all ranks be served at once, and twice as many only while the part of
 * each is larger than a limit. A channel is one thread block, which copies at a
 * rate of its own. Eight ranks on one node have 32 channels, so a message of up
 * to 64 MiB takes 4 of them, and only one of 512 MiB takes all:
 *
 *     time of the part of a channel
 *       |                                    /
 *       |               ____________________/    largest part: more channels
 *       |              /
 *       |_____________/                          least part: fewer channels
 *       +--------------------------------------> bytes
 *
 * Doubling the channels halves the parts, and NCCL's times fall there. Here
 * times never fall: they stay at the largest part until all channels are taken.
 */
#ifndef COMMLAB_TOPO_NCCL_PEERS_H
#define COMMLAB_TOPO_NCCL_PEERS_H

#include "topo/nccl/shape.h"

/* The channels of a peer in the node; GBps 0: they limit nothing. */
struct peers {
    double least, most;        /* channels for small and for large messages */
    double min_part, max_part; /* bytes that one channel carries */
    double GBps;               /* rate at which each channel sends */
};

/*
 * The channels of a peer in a communicator. For messages between nodes, NCCL
 * takes the channels that its NICs need, so they limit nothing.
 */
struct peers peers_of(const struct topo *t, const struct shape *s);

/* The time in us of the largest part of a message. Rises with its bytes. */
double peers_us(const struct peers *p, double nbytes);

#endif
