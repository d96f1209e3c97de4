/*
 * network.h: one-sided operations over the network that a kernel does not wait
 * for
 *
 * A channel is a context of a device communicator. The network does what a
 * kernel puts and gets on it while the kernel continues (graph_aside()). Bytes
 * are copied at the call, so that results don't depend on timing. In the graph,
 * however, the source is being read, and the destination being written, until
 * the kernel waits or another kernel has seen the signal:
 *
 *     kernel    [ put ][ may not write the source ][ flush ][ may ]
 *     network        \[ reads source, writes destination ]/ \
 *     peer                                                   [ signal: reads ]
 */
#ifndef SIMGPU_NETWORK_H
#define SIMGPU_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct simgpu_channel {
    const void *network; /* identifies the communicator */
    uint32_t context;
    int peer; /* a rank; -1: all */
};

/*
 * Copy nbytes over the network: a put to the channel's peer, or a get from it.
 * from is NULL if the request itself contains the bytes, at `value`.
 */
void simgpu_network_copy(struct simgpu_channel c, void *to, const void *from,
                         const void *value, size_t nbytes, const char *call);

/*
 * Add n to a word of the channel's peer: after this kernel's latest operation
 * on the channel has arrived (bundled), or after all the channel's operations
 * so far have (strong), or else right after what the kernel has done.
 */
enum { SIMGPU_BUNDLED = 1, SIMGPU_STRONG = 2 };
void simgpu_network_signal(struct simgpu_channel c, void *word, uint64_t n,
                           int how);

/* Add 1 to a word of this rank when the latest operation is complete. */
void simgpu_network_count(struct simgpu_channel c, void *word);

/* The number of the latest operation of any channel. */
uint64_t simgpu_network_latest(void);

/* Wait until the channel's operations up to this number are complete. */
void simgpu_network_wait(struct simgpu_channel c, uint64_t latest);

#ifdef __cplusplus
}
#endif
#endif
