#include "simgpu/network.h"

#include <pthread.h>
#include <stdlib.h> /* realloc */
#include <string.h> /* memmove */

#include "core/device.h"
#include "core/heap/heap.h"
#include "core/report.h"
#include "core/site.h"
#include "device/access.h"
#include "device/grid.h"
#include "device/sync.h"
#include "simgpu/multicast.h" /* simgpu_kernel_fault */

/* An operation that no kernel of this process has waited for. Of the operations
 * with the same channel and queue of parts aside, only the latest is kept. */
struct flight {
    struct simgpu_channel channel;
    struct graph_point part;
    uint32_t queue;
    uint64_t number;
};

static struct flight *flight;
static size_t nflights, cap_flights;
static uint64_t latest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The latest operation of the running kernel, which
 * signals and counters follow. */
static __thread struct graph_point bundled;

static int is_of(const struct flight *f, struct simgpu_channel c)
{
    return f->channel.network == c.network && f->channel.context == c.context &&
           (c.peer < 0 || f->channel.peer == c.peer);
}

static void take_off(struct flight now)
{
    pthread_mutex_lock(&lock);
    now.number = ++latest;
    size_t i = 0;
    while (i < nflights &&
           (!is_of(&flight[i], now.channel) || flight[i].queue != now.queue))
        i++;
    if (i == cap_flights) {
        cap_flights = cap_flights ? 2 * cap_flights : 64;
        flight = realloc(flight, cap_flights * sizeof *flight);
        if (!flight)
            simgpu_report_fault(NULL, "out of host memory for a kernel's puts");
    }
    flight[i] = now;
    nflights += i == nflights;
    pthread_mutex_unlock(&lock);
}

/* Get up to n of the channel's operations in flight, at
 * most one of each queue. */
static size_t under_way(struct simgpu_channel c, struct graph_point *part,
                        size_t n)
{
    size_t found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nflights && found < n; i++)
        if (is_of(&flight[i], c))
            part[found++] = flight[i].part;
    pthread_mutex_unlock(&lock);
    return found;
}

/* Fill in the graph's access for the bytes that an operation touches, and set
 * *place to the place of their memory. Returns the number of accesses. */
static size_t add_access(struct graph_access *a, const void *p, size_t nbytes,
                         enum graph_touch how, uint32_t site, int32_t *place)
{
    struct heap_block b;
    if (!p)
        return 0;
    if (simgpu_heap_find(p, &b) != 0)
        simgpu_kernel_fault("ncclGin", "it touches memory that has been freed");
    const uint64_t begin = (uint64_t)((const char *)p - b.base);
    *a = (struct graph_access){.alloc = b.id,
                               .begin = begin,
                               .end = begin + nbytes,
                               .write = how,
                               .site = site};
    *place = b.place;
    return 1;
}

void simgpu_network_copy(struct simgpu_channel c, void *to, const void *from,
                         const void *value, size_t nbytes, const char *call)
{
    const void *const pc = __builtin_return_address(0);
    const int32_t here = simgpu_proc_place(grid_launch()->device);
    struct graph_move m = {here, here, nbytes};
    struct graph_access a[2];
    unsigned slot;
    if (nbytes == 0) {
        bundled = (struct graph_point){0};
        return;
    }
    const uint32_t site = simgpu_site(pc);
    size_t n = add_access(a, from, nbytes, GRAPH_READ, site, &m.from);
    n += add_access(a + n, to, nbytes, GRAPH_WRITE, site, &m.to);
    bundled = sync_aside(call, (unsigned)c.peer, NULL, 0, 0, &slot);
    simgpu_op_amend(sync_op(), 0, &m, 1, a, n);
    memmove(to, from ? from : value, nbytes);
    take_off(
        (struct flight){.channel = c,
                        .part = bundled,
                        .queue = sync_op()->node.queue * OP_ASIDES + slot});
}

/* The network's latency from this kernel's device to a word. */
static uint64_t latency_ps(const void *word)
{
    const int32_t here = simgpu_proc_place(grid_launch()->device);
    struct heap_block b;
    struct topo_path path;
    return simgpu_heap_find(word, &b) == 0 && b.place != here &&
                   topo_path(simgpu_proc()->topo, here, b.place, TOPO_NETWORK,
                             &path) == 0
               ? path.latency_ps
               : 0;
}

/* End the part aside that has just begun, or been continued, with a write to
 * this word. */
static void write_word(const void *word, const void *pc)
{
    struct graph_access a;
    int32_t place;
    const size_t n = add_access(&a, word, sizeof(uint64_t), GRAPH_ATOMIC,
                                simgpu_site(pc), &place);
    a.write |= GRAPH_BLIND | GRAPH_KNOWN;
    simgpu_op_amend(sync_op(), 0, NULL, 0, &a, n);
}

void simgpu_network_signal(struct simgpu_channel c, void *word, uint64_t n,
                           int how)
{
    const void *const pc = __builtin_return_address(0);
    struct graph_point before[SYNC_AFTER];
    const size_t nbefore =
        how & SIMGPU_STRONG ? under_way(c, before, SYNC_AFTER) : 0;
    const int rides = how & SIMGPU_BUNDLED && bundled.index != 0;
    struct graph_point by = bundled;
    unsigned slot;
    // there is more than the operation that the signal is bundled with
    if (nbefore > (size_t)rides) {
        by = sync_aside("ncclGin::signal", (unsigned)c.peer, before, nbefore,
                        rides ? 0 : latency_ps(word), &slot);
        write_word(word, pc);
    } else if (rides) {
        write_word(word, pc);
    } else {
        access_touch(word, sizeof(uint64_t), ACCESS_SIGNAL, pc);
        by = sync_here();
    }
    sync_grow(word, n, by,
              rides || nbefore > (size_t)rides ? 0 : latency_ps(word));
}

void simgpu_network_count(struct simgpu_channel c, void *word)
{
    (void)c;
    access_touch(word, sizeof(uint64_t), ACCESS_SIGNAL,
                 __builtin_return_address(0));
    sync_grow(word, 1, bundled.index ? bundled : sync_here(), 0);
}

uint64_t simgpu_network_latest(void)
{
    pthread_mutex_lock(&lock);
    const uint64_t n = latest;
    pthread_mutex_unlock(&lock);
    return n;
}

/* Remove an operation that has arrived. Returns 0 if there is none. */
static int land(struct simgpu_channel c, uint64_t upto, struct flight *out)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < nflights && !found; i++)
        if (is_of(&flight[i], c) && flight[i].number <= upto) {
            *out = flight[i];
            flight[i] = flight[--nflights];
            found = 1;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

void simgpu_network_wait(struct simgpu_channel c, uint64_t upto)
{
    struct flight f;
    while (land(c, upto, &f))
        sync_follow(f.part);
}
