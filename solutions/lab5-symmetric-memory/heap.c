/*
 * Part 1: a symmetric heap.
 *
 * A process can't use another's pointers. It can map the other's memory at an
 * address of its own, given a *handle* of that memory (cudaIpcGetMemHandle).
 * Handles are for whole allocations, so a rank makes one allocation and the
 * heap works with offsets in it.
 */
#include "lab5.h"

#include <stdint.h> /* uint64_t */
#include <string.h> /* memset */

#include "lab/try.h" /* LAB_HOLE, LAB_TRY */

/* ---- what the machine can do --------------------------------------------- */

enum { BUS_ID = 32 }; /* bytes of a PCI bus id, at most */

/* How device `mine` can access the device with this bus id. */
static enum symm_reach reach_of(int mine, const char *bus_id)
{
    // BEGIN HOLE part 1: reach (about 8 lines)
    // HINT: cudaDeviceGetByPCIBusId fails for a device of another node; then
    // HINT: cudaGetLastError() clears the error. cudaDeviceCanAccessPeer does
    // HINT: the rest.
    int device, can = 0;
    if (cudaDeviceGetByPCIBusId(&device, bus_id) != cudaSuccess) {
        cudaGetLastError();
        return SYMM_NOT;
    }
    if (device == mine)
        return SYMM_SHARED;
    if (cudaDeviceCanAccessPeer(&can, mine, device) != cudaSuccess)
        cudaGetLastError();
    return can ? SYMM_PEER : SYMM_NOT;
    // END HOLE
}

ncclResult_t symm_probe(MPI_Comm comm, struct symm_probe *out)
{
    // BEGIN HOLE part 1: probe (about 15 lines)
    // HINT: cudaGetDevice, cudaDeviceGetPCIBusId, MPI_Allgather of BUS_ID
    // HINT: bytes.
    char all[SYMM_MAX_RANKS][BUS_ID] = {{0}};
    int rank, nranks, device;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    LAB_TRY_CUDA(cudaGetDevice(&device));
    LAB_TRY_CUDA(cudaDeviceGetPCIBusId(all[rank], BUS_ID, device));
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_CHAR, all, BUS_ID, MPI_CHAR, comm);
    memset(out, 0, sizeof *out);
    for (int r = 0; r < nranks; r++) {
        out->reach[r] = reach_of(device, all[r]);
        out->sharing += out->reach[r] == SYMM_SHARED;
    }
    return ncclSuccess;
    // END HOLE
}

/* ---- opening and closing ------------------------------------------------- */

/* True if `mine` is true on all ranks. */
static int all_of(MPI_Comm comm, int mine)
{
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

/* True if every rank can access every other rank's memory. */
static int all_reach(MPI_Comm comm, int nranks)
{
    struct symm_probe p;
    int mine = symm_probe(comm, &p) == ncclSuccess;
    for (int r = 0; r < nranks; r++)
        mine = mine && p.reach[r] != SYMM_NOT;
    return all_of(comm, mine);
}

/* Allocate this rank's heap, zero on return: sets view.base[rank], or leaves it
 * NULL if that fails. Not collective. */
static void allocate(struct symm *s)
{
    // BEGIN HOLE part 1: allocate (about 8 lines)
    // HINT: cudaMemset only enqueues work, and peers write as soon as they can.
    char **const own = (char **)&s->view.base[s->view.rank];
    if (cudaMalloc((void **)own, s->nbytes) != cudaSuccess) {
        *own = NULL;
        return;
    }
    if (cudaMemset(*own, 0, s->nbytes) != cudaSuccess ||
        cudaDeviceSynchronize() != cudaSuccess) {
        cudaFree(*own);
        *own = NULL;
    }
    // END HOLE
}

/*
 * Map the heaps of all other ranks: sets view.base[r], NULL where that fails.
 * Collective, also for a rank without a heap. Returns 1 if this rank has mapped
 * them all, else 0.
 */
static int exchange(struct symm *s)
{
    // BEGIN HOLE part 1: exchange (about 15 lines)
    // HINT: cudaIpcGetMemHandle, MPI_Allgather, cudaIpcOpenMemHandle. A process
    // HINT: can't open a handle of its own.
    cudaIpcMemHandle_t handle[SYMM_MAX_RANKS];
    struct symm_view *const v = &s->view;
    int fine =
        v->base[v->rank] &&
        cudaIpcGetMemHandle(&handle[v->rank], v->base[v->rank]) == cudaSuccess;
    if (!fine)
        memset(&handle[v->rank], 0, sizeof *handle);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, handle, sizeof *handle, MPI_BYTE,
                  s->comm);
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank &&
            cudaIpcOpenMemHandle((void **)&v->base[r], handle[r],
                                 cudaIpcMemLazyEnablePeerAccess) !=
                cudaSuccess) {
            v->base[r] = NULL;
            fine = 0;
        }
    return fine;
    // END HOLE
}

ncclResult_t symm_open(struct symm *s, MPI_Comm comm, size_t nbytes)
{
    memset(s, 0, sizeof *s);
    s->comm = comm;
    s->nbytes = nbytes;
    MPI_Comm_rank(comm, &s->view.rank);
    MPI_Comm_size(comm, &s->view.nranks);
    if (s->view.nranks > SYMM_MAX_RANKS || !all_reach(comm, s->view.nranks))
        return ncclInvalidUsage;
    cuInit(0); // the driver's calls of part 2
    allocate(s);
    const int mine = exchange(s);
    if (!all_of(comm, mine)) {
        cudaGetLastError();
        symm_close(s);
        return ncclSystemError;
    }
    return symm_alloc(s, (size_t)s->view.nranks * sizeof *s->arrived,
                      (void **)&s->arrived);
}

void symm_close(struct symm *s)
{
    // BEGIN HOLE part 1: close (about 10 lines)
    // HINT: what has to happen between unmapping and freeing? Some base[r] may
    // HINT: be NULL; s->nbytes is 0 for a heap that isn't open.
    struct symm_view *const v = &s->view;
    if (s->nbytes == 0)
        return;
    for (int r = 0; r < v->nranks; r++)
        if (r != v->rank && v->base[r])
            cudaIpcCloseMemHandle(v->base[r]);
    MPI_Barrier(s->comm);
    cudaFree(v->base[v->rank]);
    memset(s, 0, sizeof *s);
    // END HOLE
}

/* ---- addresses ----------------------------------------------------------- */

ncclResult_t symm_alloc(struct symm *s, size_t nbytes, void **out)
{
    // BEGIN HOLE part 1: alloc (about 12 lines)
    // HINT: do all ranks ask for the same size? One MPI_Allreduce can tell, of
    // HINT: the largest x and the largest -x.
    const uint64_t room = (nbytes + SYMM_ALIGN - 1) / SYMM_ALIGN * SYMM_ALIGN;
    const int64_t mine[2] = {(int64_t)nbytes, -(int64_t)nbytes};
    int64_t most[2];
    MPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, s->comm);
    if (most[0] != -most[1] || room > s->nbytes - s->used)
        return ncclInvalidArgument;
    *out = s->view.base[s->view.rank] + s->used;
    s->used += room;
    return ncclSuccess;
    // END HOLE
}

void *symm_at(const struct symm_view *v, const void *own, int rank)
{
    // BEGIN HOLE part 1: address (about 2 lines)
    // HINT: the same offset in another heap.
    return v->base[rank] + ((const char *)own - v->base[v->rank]);
    // END HOLE
}
