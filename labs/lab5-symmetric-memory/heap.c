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
    // Yours to write: part 1: reach (about 8 lines)
    // cudaDeviceGetByPCIBusId fails for a device of another node; then
    // cudaGetLastError() clears the error. cudaDeviceCanAccessPeer does
    // the rest.
    LAB_HOLE("part 1: reach");
}

ncclResult_t symm_probe(MPI_Comm comm, struct symm_probe *out)
{
    // Yours to write: part 1: probe (about 15 lines)
    // cudaGetDevice, cudaDeviceGetPCIBusId, MPI_Allgather of BUS_ID
    // bytes.
    LAB_HOLE("part 1: probe");
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
    // Yours to write: part 1: allocate (about 8 lines)
    // cudaMemset only enqueues work, and peers write as soon as they can.
    LAB_HOLE("part 1: allocate");
}

/*
 * Map the heaps of all other ranks: sets view.base[r], NULL where that fails.
 * Collective, also for a rank without a heap. Returns 1 if this rank has mapped
 * them all, else 0.
 */
static int exchange(struct symm *s)
{
    // Yours to write: part 1: exchange (about 15 lines)
    // cudaIpcGetMemHandle, MPI_Allgather, cudaIpcOpenMemHandle. A process
    // can't open a handle of its own.
    LAB_HOLE("part 1: exchange");
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
    // Yours to write: part 1: close (about 10 lines)
    // what has to happen between unmapping and freeing? Some base[r] may
    // be NULL; s->nbytes is 0 for a heap that isn't open.
    LAB_HOLE("part 1: close");
}

/* ---- addresses ----------------------------------------------------------- */

ncclResult_t symm_alloc(struct symm *s, size_t nbytes, void **out)
{
    // Yours to write: part 1: alloc (about 12 lines)
    // do all ranks ask for the same size? One MPI_Allreduce can tell, of
    // the largest x and the largest -x.
    LAB_HOLE("part 1: alloc");
}

void *symm_at(const struct symm_view *v, const void *own, int rank)
{
    // Yours to write: part 1: address (about 2 lines)
    // the same offset in another heap.
    LAB_HOLE("part 1: address");
}
