#include "machine.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memset */

#include "base/must.h"
#include "drawn.h"
#include "judge6.h"

enum {
    CHUNK = 1 << 20,        /* most bytes of a chunk, with contents */
    LARGE_CHUNK = 32 << 20, /* most bytes of a chunk without */
    DATALESS = 128 << 20,   /* lab.dataless */
    BUFFERS = 4,
    FLOAT = 7 /* ncclFloat32 */
};

/* The only state of this file: kept from case to case. */
static struct {
    struct peers peers, large;
    struct {
        char *at;
        size_t nbytes;
    } buffer[PEERS][BUFFERS], pinned;
} machine;

static void must(ncclResult_t err, const char *call)
{
    if (err != ncclSuccess)
        must_stop(__FILE__, __LINE__, call, ncclGetErrorString(err));
}

struct peers *machine_peers(void)
{
    if (machine.peers.n == 0) {
        must(peers_init(&machine.peers, CHUNK), "peers_init");
        machine_access(1);
    }
    return &machine.peers;
}

void machine_release(void)
{
    const int n = machine.peers.n;
    if (n > 0)
        must(peers_release(&machine.peers), "peers_release");
    for (int gpu = 0; gpu < n; gpu++)
        for (int i = 0; i < BUFFERS; i++)
            CUDA_MUST(cudaFree(machine.buffer[gpu][i].at));
    CUDA_MUST(cudaFreeHost(machine.pinned.at));
    memset(&machine, 0, sizeof machine);
}

struct peers *machine_large_peers(void)
{
    machine.large = *machine_peers();
    machine.large.slots_nbytes = (size_t)ROUTES * SLOTS * LARGE_CHUNK;
    for (int gpu = 0; gpu < machine.large.n; gpu++)
        machine.large.slots[gpu] =
            machine_buffer(gpu, BUFFERS - 1, machine.large.slots_nbytes);
    return &machine.large;
}

/* ---- access -------------------------------------------------------------- */

/* Change GPU a's access to b's memory. Returns 1 if it was different before. */
static int change_access(int a, int b, int on)
{
    CUDA_MUST(cudaSetDevice(a));
    const cudaError_t err =
        on ? cudaDeviceEnablePeerAccess(b, 0) : cudaDeviceDisablePeerAccess(b);
    cudaGetLastError(); // it may be unchanged, or impossible
    return err == cudaSuccess;
}

void machine_access(int on)
{
    const int n = machine_peers()->n;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b)
                change_access(a, b, on);
    CUDA_MUST(cudaSetDevice(0));
}

int machine_count_access(void)
{
    const int n = machine_peers()->n;
    int count = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (a != b && change_access(a, b, 0)) {
                change_access(a, b, 1);
                count++;
            }
    CUDA_MUST(cudaSetDevice(0));
    return count;
}

/* ---- buffers ------------------------------------------------------------- */

void *machine_buffer(int gpu, int number, size_t nbytes)
{
    char **const at = &machine.buffer[gpu][number].at;
    if (nbytes < DATALESS)
        nbytes = DATALESS;
    if (machine.buffer[gpu][number].nbytes >= nbytes)
        return *at;
    CUDA_MUST(cudaSetDevice(gpu));
    CUDA_MUST(cudaFree(*at));
    CUDA_MUST(cudaMalloc((void **)at, nbytes));
    CUDA_MUST(cudaSetDevice(0));
    machine.buffer[gpu][number].nbytes = nbytes;
    return *at;
}

char *machine_pinned(size_t nbytes)
{
    if (machine.pinned.nbytes >= nbytes)
        return machine.pinned.at;
    CUDA_MUST(cudaFreeHost(machine.pinned.at));
    CUDA_MUST(cudaMallocHost((void **)&machine.pinned.at, nbytes));
    machine.pinned.nbytes = nbytes;
    return machine.pinned.at;
}

/* What go_back() restores. The runner's functions use the current device and
 * r->stream; go_to() makes these another GPU and one of its streams. */
struct elsewhere {
    cudaStream_t stream;
};

static struct elsewhere go_to(struct lab_run *r, int gpu)
{
    const struct elsewhere back = {r->stream};
    CUDA_MUST(cudaSetDevice(gpu));
    r->stream = machine_peers()->link[gpu][gpu == 0];
    return back;
}

static void go_back(struct lab_run *r, struct elsewhere back)
{
    r->stream = back.stream;
    CUDA_MUST(cudaSetDevice(0));
}

void *machine_input(struct lab_run *r, int gpu, int which, size_t count)
{
    const struct elsewhere back = go_to(r, gpu);
    const struct draw_ask d = {.what = DRAW_DATA,
                               .npath = 1,
                               .path = {(uint64_t)which},
                               .arg = {FLOAT}};
    void *const p = lab_draw_buffer(r, &d, count * sizeof(float));
    go_back(r, back);
    return p;
}

void *machine_output(struct lab_run *r, int gpu, size_t nbytes)
{
    const struct elsewhere back = go_to(r, gpu);
    void *const p = lab_buffer(r, nbytes);
    go_back(r, back);
    return p;
}

void machine_show(struct lab_run *r, int gpu, const char *name,
                  const void *buffer, size_t nbytes)
{
    const struct elsewhere back = go_to(r, gpu);
    lab_output(r, name, buffer, nbytes);
    go_back(r, back);
}

void machine_sources(struct lab_run *r, int gpu, const char *name, void *buffer,
                     size_t nbytes)
{
    const struct elsewhere back = go_to(r, gpu);
    for (int i = 0; i < TRACE_SLICES; i++) {
        char slice[EVIDENCE_NAME];
        const size_t begin = trace_slice(nbytes, i);
        snprintf(slice, sizeof slice, "%s.%d", name, i);
        lab_source(r, slice, (char *)buffer + begin,
                   trace_slice(nbytes, i + 1) - begin);
    }
    go_back(r, back);
}

void machine_result(struct lab_run *r, int gpu, const char *name, void *buffer,
                    size_t nbytes)
{
    const struct elsewhere back = go_to(r, gpu);
    lab_result(r, name, buffer, nbytes);
    go_back(r, back);
}

/* ---- measuring ----------------------------------------------------------- */

/* Time one copy, after one to warm up. */
static double measure(int from, int to, size_t nbytes)
{
    const struct peers *const p = machine_peers();
    const cudaStream_t link = p->link[from][to];
    void *const dst = machine_buffer(to, 0, nbytes);
    const void *const src = machine_buffer(from, 0, nbytes);
    cudaEvent_t event[2];
    float ms;
    CUDA_MUST(cudaSetDevice(from));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventCreate(&event[i]));
    for (int i = 0; i < 2; i++) {
        CUDA_MUST(cudaMemcpyPeerAsync(dst, to, src, from, nbytes, link));
        CUDA_MUST(cudaEventRecord(event[i], link));
    }
    CUDA_MUST(cudaEventSynchronize(event[1]));
    CUDA_MUST(cudaEventElapsedTime(&ms, event[0], event[1]));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventDestroy(event[i]));
    CUDA_MUST(cudaSetDevice(0));
    return (double)nbytes / ms * 1e-6;
}

/* A barrier at each pair: with all devices idle, earlier work cannot affect
 * later times, which keeps timing queries fast on modelled machines. */
void machine_measure(struct lab_run *r, size_t nbytes, struct gbps *m)
{
    *m = (struct gbps){0};
    CUDA_MUST(cudaGetDeviceCount(&m->n));
    m->n = m->n < PEERS ? m->n : PEERS;
    for (int from = 0; from < m->n; from++)
        for (int to = 0; to < m->n; to++) {
            MPI_MUST(MPI_Barrier(r->mpi_comm));
            if (r->rank == 0 && from != to)
                m->at[from][to] = measure(from, to, nbytes);
        }
}

/* Enqueue one copy over a link, between two events that time it from when it
 * can start. */
static void ask_for_copy(int from, int to, size_t nbytes, cudaEvent_t event[2])
{
    const struct peers *const p = machine_peers();
    const cudaStream_t link = p->link[from][to];
    CUDA_MUST(cudaSetDevice(from));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventCreate(&event[i]));
    CUDA_MUST(cudaEventRecord(event[0], link));
    CUDA_MUST(cudaMemcpyPeerAsync(machine_buffer(to, 0, nbytes), to,
                                  machine_buffer(from, 1, nbytes), from, nbytes,
                                  link));
    CUDA_MUST(cudaEventRecord(event[1], link));
}

static double ms_of(cudaEvent_t event[2])
{
    float ms;
    CUDA_MUST(cudaEventSynchronize(event[1]));
    CUDA_MUST(cudaEventElapsedTime(&ms, event[0], event[1]));
    for (int i = 0; i < 2; i++)
        CUDA_MUST(cudaEventDestroy(event[i]));
    return ms;
}

/*
 * The rate of all copies to and from a GPU together has a limit. To measure it,
 * every neighbour sends to GPU 0 and receives from it, in proportion to the
 * bandwidth of its link, so that all copies end at the same time.
 */
double machine_measure_gpu(const struct gbps *m, int link[PEERS][PEERS],
                           size_t nbytes)
{
    cudaEvent_t event[PEERS][2][2];
    double fastest = 0, moved = 0, longest_ms = 0;
    for (int other = 1; other < m->n; other++)
        fastest = fmax(fastest, m->at[0][other]);
    for (int other = 1; other < m->n; other++) {
        const double part = (double)nbytes * m->at[0][other] / fastest;
        if (link[0][other] <= 0)
            continue;
        ask_for_copy(0, other, (size_t)part, event[other][0]);
        ask_for_copy(other, 0, (size_t)part, event[other][1]);
        moved += 2 * part;
    }
    for (int other = 1; other < m->n; other++)
        for (int i = 0; i < 2 && link[0][other] > 0; i++)
            longest_ms = fmax(longest_ms, ms_of(event[other][i]));
    CUDA_MUST(cudaSetDevice(0));
    return longest_ms > 0 ? moved / longest_ms * 1e-6 : 0;
}

void machine_nvlinks(const struct gbps *m, double nvlink_GBps,
                     int link[PEERS][PEERS])
{
    memset(link, 0, sizeof(int[PEERS][PEERS]));
    for (int a = 0; a < m->n; a++)
        for (int b = 0; b < m->n; b++)
            if (a != b)
                link[a][b] = nvlink_GBps > 0 && m->at[a][b] > .8 * nvlink_GBps
                                 ? 1
                                 : LINK_SYS;
}
