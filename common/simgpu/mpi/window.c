/*
 * window.c: memory that the ranks of a node share (MPI_Win_allocate_shared)
 *
 * MPICH runs without shared memory of its own (world.c) and takes each rank for
 * a node, so its own function would give each rank memory that no other rank
 * can reach. Here the communicator's rank 0 makes a memfd, which the others
 * open through /proc and all map whole:
 *
 *     | rank 0's part | rank 1's | ...        "alloc_shared_noncontig": each
 *                                             part begins on a page of its own
 *
 * An ordinary window over its part lets every rank pass the window to MPICH's
 * other functions, such as MPI_Win_fence and MPI_Win_lock_all. Only MPI_Put and
 * MPI_Get are replaced as well: MPICH 4.0 with UCX 1.13 rounds the address of a
 * part down to a multiple of 16. To CUDA the memory is pageable host memory.
 */
#define _GNU_SOURCE
#include <errno.h> /* errno */
#include <fcntl.h> /* O_RDWR */
#include <mpi.h>
#include <stdlib.h>   /* calloc */
#include <string.h>   /* strcmp */
#include <sys/mman.h> /* memfd_create */
#include <unistd.h>   /* ftruncate */

#include "core/limit.h"
#include "core/proc.h"
#include "core/report.h"
#include "mpi/call.h"
#include "mpi/nap.h"

#pragma weak PMPI_Comm_call_errhandler
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Iallgather
#pragma weak PMPI_Get
#pragma weak PMPI_Info_get
#pragma weak PMPI_Put
#pragma weak PMPI_Sendrecv
#pragma weak PMPI_Win_allocate_shared
#pragma weak PMPI_Win_call_errhandler
#pragma weak PMPI_Win_create
#pragma weak PMPI_Win_create_keyval
#pragma weak PMPI_Win_get_attr
#pragma weak PMPI_Win_set_attr
#pragma weak PMPI_Win_shared_query

enum { PAGE = 4096 };

struct part { /* a rank's; plain data, which ranks exchange */
    MPI_Aint nbytes;
    size_t offset; /* set once all are known */
    int32_t disp_unit, node, pid, fd;
};

struct shared { /* an attribute of the window */
    char *base;
    size_t nbytes;
    int nranks;
    struct part part[];
};

static int keyval = MPI_KEYVAL_INVALID;

static int forget(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    struct shared *const s = value;
    munmap(s->base, s->nbytes);
    free(s);
    return MPI_SUCCESS;
}

/* What MPI_Win_allocate_shared() made of a window, or NULL. */
static struct shared *shared_of(MPI_Win win)
{
    struct shared *s = NULL;
    int found = 0;
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Win_get_attr(win, keyval, &s, &found);
    return found ? s : NULL;
}

static void put(MPI_Win win, struct shared *s)
{
    if (keyval == MPI_KEYVAL_INVALID)
        PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &keyval, NULL);
    PMPI_Win_set_attr(win, keyval, s);
}

static int is_apart(MPI_Info info)
{
    char value[8] = "";
    int found = 0;
    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, "alloc_shared_noncontig", sizeof value - 1, value,
                      &found);
    return found && strcmp(value, "true") == 0;
}

/* Tell the others of this rank's part, and learn of theirs. */
static struct shared *exchange(struct mpi_call *c, struct part mine, int apart)
{
    const size_t n = (size_t)c->size;
    struct shared *const s = simgpu_need(
        calloc(1, sizeof *s + n * sizeof *s->part), "a shared window");
    PMPI_Iallgather(&mine, sizeof mine, MPI_BYTE, s->part, sizeof mine,
                    MPI_BYTE, c->comm, &c->request);
    nap_wait(&c->request, MPI_STATUS_IGNORE);
    s->nranks = c->size;
    for (size_t i = 0; i < n; i++) {
        s->part[i].offset = s->nbytes;
        s->nbytes += (size_t)s->part[i].nbytes;
        if (apart)
            s->nbytes = (s->nbytes + PAGE - 1) / PAGE * PAGE;
    }
    s->nbytes += s->nbytes == 0; // mmap() takes no empty range
    return s;
}

static int is_one_node(const struct shared *s)
{
    int i = 0;
    while (i < s->nranks && s->part[i].node == s->part[0].node)
        i++;
    return i == s->nranks;
}

/* Map the memory of rank 0, which is `made` there and -1 elsewhere. */
static void map(struct mpi_call *c, struct shared *s, int made)
{
    char hint[LIMIT_HINT];
    const int fd =
        made >= 0 ? made
                  : simgpu_proc_open(s->part[0].pid, s->part[0].fd, O_RDWR);
    if (made >= 0 && ftruncate(made, (off_t)s->nbytes) != 0)
        s->base = MAP_FAILED;
    else
        s->base =
            mmap(NULL, s->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (s->base == MAP_FAILED)
        simgpu_report_fault(NULL, "%s: cannot share %zu bytes: %m%s", c->name,
                            s->nbytes,
                            simgpu_limit_hint(errno, hint, sizeof hint));
    if (made < 0)
        close(fd);
}

static int allocate(struct mpi_call *c, struct part mine, MPI_Info info,
                    void *base, MPI_Win *win)
{
    int rank = 0;
    PMPI_Comm_rank(c->comm, &rank);
    if (rank == 0)
        mine.fd = memfd_create("simgpu-window", MFD_CLOEXEC);
    struct shared *const s = exchange(c, mine, is_apart(info));
    const int made = rank == 0 ? mine.fd : -1;
    int err = MPI_ERR_RMA_SHARED;
    if (is_one_node(s)) {
        map(c, s, made);
        char *const own = s->base + s->part[rank].offset;
        // returns only when all ranks have mapped the memory
        err = PMPI_Win_create(own, mine.nbytes, mine.disp_unit, info, c->comm,
                              win);
        *(void **)base = own;
    } else {
        PMPI_Comm_call_errhandler(c->comm, err);
    }
    if (made >= 0)
        close(made);
    if (err == MPI_SUCCESS)
        put(*win, s);
    else
        free(s);
    return err;
}

int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info,
                            MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    if (size < 0 || disp_unit <= 0 || !baseptr || !win) // MPICH says which
        return PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr,
                                        win);
    const struct proc *const p = simgpu_proc();
    const struct part mine = {.nbytes = size,
                              .disp_unit = disp_unit,
                              .node = p->node,
                              .pid = p->id.pid,
                              .fd = -1};
    struct mpi_call c = CALL_BEGIN("MPI_Win_allocate_shared", comm);
    call_collective(&c, TOPO_OP_BARRIER, 0, 0);
    return call_end(&c, allocate(&c, mine, info, baseptr, win));
}

/* MPI_PROC_NULL asks for the first part that isn't empty. */
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit,
                         void *baseptr)
{
    const struct shared *const s = shared_of(win);
    if (!s)
        return PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr);
    if (rank == MPI_PROC_NULL)
        for (rank = 0; rank < s->nranks - 1 && s->part[rank].nbytes == 0;)
            rank++;
    if (rank < 0 || rank >= s->nranks) {
        PMPI_Win_call_errhandler(win, MPI_ERR_RANK);
        return MPI_ERR_RANK;
    }
    *size = s->part[rank].nbytes;
    *disp_unit = s->part[rank].disp_unit;
    *(void **)baseptr = s->base + s->part[rank].offset;
    return MPI_SUCCESS;
}

int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *found)
{
    static int flavor = MPI_WIN_FLAVOR_SHARED;
    if (key != MPI_WIN_CREATE_FLAVOR || !shared_of(win))
        return PMPI_Win_get_attr(win, key, value, found);
    *(void **)value = &flavor;
    *found = 1;
    return MPI_SUCCESS;
}

/* The address of element `disp` of a rank's part. NULL if MPICH has to do the
 * call, or to say what is wrong with it. */
static char *place_of(MPI_Win win, int rank, MPI_Aint disp)
{
    const struct shared *const s = shared_of(win);
    return s && rank >= 0 && rank < s->nranks
               ? s->base + s->part[rank].offset + disp * s->part[rank].disp_unit
               : NULL;
}

/* Copy between elements of any two types in this process's memory. */
static int copy(const void *from, int nfrom, MPI_Datatype from_type, void *to,
                int nto, MPI_Datatype to_type)
{
    return PMPI_Sendrecv(from, nfrom, from_type, 0, 0, to, nto, to_type, 0, 0,
                         MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

int MPI_Put(const void *from, int nfrom, MPI_Datatype from_type, int rank,
            MPI_Aint disp, int n, MPI_Datatype type, MPI_Win win)
{
    char *const at = place_of(win, rank, disp);
    return at ? copy(from, nfrom, from_type, at, n, type)
              : PMPI_Put(from, nfrom, from_type, rank, disp, n, type, win);
}

int MPI_Get(void *to, int nto, MPI_Datatype to_type, int rank, MPI_Aint disp,
            int n, MPI_Datatype type, MPI_Win win)
{
    char *const at = place_of(win, rank, disp);
    return at ? copy(at, n, type, to, nto, to_type)
              : PMPI_Get(to, nto, to_type, rank, disp, n, type, win);
}
