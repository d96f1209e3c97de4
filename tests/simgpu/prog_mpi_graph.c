/* Each call of MPI once, with sizes by which the graph tells them apart, and
 * once so that it fails: for 3 ranks, on device memory. test_mpi_graph.c says
 * what is recorded. */
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, LARGE = 8193 /* bytes, more than is sent eagerly */ };

static int rank, next, prev;
static char *in, *out;                                    /* device memory */
static char here[LARGE];                                  /* ordinary memory */
static MPI_Status *volatile ignore = MPI_STATUSES_IGNORE; /* for gcc, which
                          would warn that it has no room for a status */
static MPI_Comm part, another; /* ranks 0 and 2; a duplicate of all */

static void collectives(void)
{
    const int counts[RANKS] = {3, 1, 2}, displs[RANKS] = {4, 9, 0};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(in + 8, 3, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Reduce(in + 8, out + 16, 5, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 7, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, out, 7, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Scan(in, out, 9, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(in, out, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(in, 3, MPI_INT, out, 3, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT, 2,
                MPI_COMM_WORLD);
    MPI_Scatter(in, 5, MPI_INT, out, 5, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Scatterv(in, counts, displs, MPI_INT, out, counts[rank], MPI_INT, 0,
                 MPI_COMM_WORLD);
    MPI_Allgather(in, 2, MPI_INT, out, 2, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INT,
                  MPI_COMM_WORLD);
    MPI_Allgatherv(in, counts[rank], MPI_INT, out, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    MPI_Alltoall(in, 4, MPI_INT, out, 4, MPI_INT, MPI_COMM_WORLD);
    const int all[RANKS] = {2, 2, 2}, from[RANKS] = {0, 2, 4};
    const int to[RANKS] = {6, 3, 0};
    MPI_Alltoallv(in, all, from, MPI_INT, out, all, to, MPI_INT,
                  MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out, all, to,
                  MPI_INT, MPI_COMM_WORLD);
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(in, 0, MPI_INT, out, (int[RANKS]){0}, (int[RANKS]){0},
                   MPI_INT, MPI_COMM_WORLD);
    MPI_Bcast(here, 10, MPI_CHAR, 0, MPI_COMM_WORLD); // ordinary memory
    MPI_Bcast(in, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

static void communicators(void)
{
    MPI_Comm some, grid, line;
    MPI_Group group, two;
    const int members[2] = {0, 2}, dims[2] = {3, 1}, periods[2] = {0, 0};
    const int remain[2] = {1, 0};
    MPI_Comm_dup(MPI_COMM_WORLD, &another);
    MPI_Barrier(another);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &some);
    MPI_Barrier(some);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, -rank, &part);
    MPI_Bcast(in, 6, MPI_CHAR, 0, part); // rank 2 and 1 are first
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &some);
    MPI_Barrier(some);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_incl(group, 2, members, &two);
    MPI_Comm_create(MPI_COMM_WORLD, two, &some);
    if (some != MPI_COMM_NULL)
        MPI_Barrier(some);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_sub(grid, remain, &line);
    MPI_Barrier(line);
    MPI_Barrier(MPI_COMM_SELF);
}

/* Rank 0 sends to 1, and 1 receives. */
static void blocking(void)
{
    static char room[4096];
    MPI_Status status;
    if (rank == 0) {
        MPI_Buffer_attach(room, sizeof room);
        MPI_Send(in, LARGE - 1, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
        MPI_Send(in, LARGE, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
        MPI_Ssend(in + 1, 2, MPI_CHAR, 1, 4, another);
        MPI_Bsend(in + 2, 3, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
        MPI_Buffer_detach(&(void *){room}, &(int){0});
        MPI_Send(in, 4, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(out, LARGE - 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status);
        MPI_Recv(out, LARGE, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(out + 1, 4, MPI_CHAR, 0, 4, another, &status);
        MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(out, 3, MPI_CHAR, 0, 5, MPI_COMM_WORLD, &status);
        MPI_Recv(out, 4, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Sendrecv(in, 5, MPI_CHAR, next, 6, out, 7, MPI_CHAR, prev, 6,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in, 6, MPI_CHAR, prev, 7, next, 7, MPI_COMM_WORLD,
                         &status);
    MPI_Sendrecv(in, 1, MPI_CHAR, rank, 8, out, 1, MPI_CHAR, rank, 8,
                 MPI_COMM_WORLD, &status);
}

/* Rank 0 sends to 1, which is ready. */
static void ready(void)
{
    MPI_Request r[3];
    if (rank == 1)
        for (int i = 0; i < 3; i++)
            MPI_Irecv(out, LARGE + i, MPI_CHAR, 0, 11 + i, MPI_COMM_WORLD,
                      &r[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Waitall(3, r, ignore);
    if (rank != 0)
        return;
    MPI_Rsend(in, LARGE - 1, MPI_CHAR, 1, 11, MPI_COMM_WORLD);
    MPI_Rsend(in, LARGE, MPI_CHAR, 1, 12, MPI_COMM_WORLD);
    MPI_Irsend(in, LARGE, MPI_CHAR, 1, 13, MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void must(int holds, const char *what, int way)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d, way %d: %s\n", rank, way, what);
    exit(EXIT_FAILURE);
}

/* Receive n bytes from the previous rank, and wait in one of these ways. */
static void receive(int way, int n)
{
    MPI_Request r[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status[3];
    int index[3] = {1}, done = 0, count;
    memset(status, 0xff, sizeof status);
    MPI_Irecv(out + 8 * way, n, MPI_CHAR, prev, way, MPI_COMM_WORLD, &r[1]);
    while (!done) {
        done = 1;
        switch (way) {
        case 0: MPI_Wait(&r[1], MPI_STATUS_IGNORE); break;
        case 1: MPI_Test(&r[1], &done, &status[0]); break;
        case 2: MPI_Waitall(3, r, status); break;
        case 3: MPI_Testall(3, r, &done, ignore); break;
        case 4: MPI_Waitany(3, r, index, &status[0]); break;
        case 5: MPI_Testany(3, r, index, &done, MPI_STATUS_IGNORE); break;
        case 6: MPI_Waitsome(3, r, &done, index, status); break;
        case 7: MPI_Testsome(3, r, &done, index, ignore); break;
        }
    }
    must(r[1] == MPI_REQUEST_NULL, "the request is still there", way);
    must(done == 1 && index[0] == 1, "another request is done", way);
    if (way == 1 || way == 2 || way == 4 || way == 6) { // not ignored
        const MPI_Status *const own = &status[way == 2];
        MPI_Get_count(own, MPI_CHAR, &count);
        must(own->MPI_SOURCE == prev && own->MPI_TAG == way && count == n - 10,
             "another status", way);
    }
}

static void requests(void)
{
    enum { WAYS = 8 };
    MPI_Request send, both[2], r;
    for (int way = 0; way < WAYS; way++) {
        if (way % 2)
            MPI_Issend(in + way, 20 + way, MPI_CHAR, next, way, MPI_COMM_WORLD,
                       &send);
        else
            MPI_Isend(in + way, 20 + way, MPI_CHAR, next, way, MPI_COMM_WORLD,
                      &send);
        receive(way, 30 + way);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    MPI_Send_init(in, 40, MPI_CHAR, next, 9, MPI_COMM_WORLD, &both[0]);
    MPI_Recv_init(out, 41, MPI_CHAR, prev, 9, MPI_COMM_WORLD, &both[1]);
    MPI_Startall(2, both);
    MPI_Waitall(2, both, ignore);
    MPI_Start(&both[1]);
    MPI_Start(&both[0]);
    MPI_Waitall(2, both, ignore);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    must(both[0] == MPI_REQUEST_NULL && both[1] == MPI_REQUEST_NULL,
         "a request that is free", 9);
    MPI_Irecv(out, 42, MPI_CHAR, prev, 10, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE); // nothing came
    must(r == MPI_REQUEST_NULL, "a request that is cancelled", 10);
    MPI_Irecv(out, 43, MPI_CHAR, MPI_PROC_NULL, 10, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* ---- calls that fail: the graph has what was recorded before ------------- */

#define FAILS(call) must((call) != MPI_SUCCESS, #call " succeeds", -1)

static const MPI_Datatype none = MPI_DATATYPE_NULL;
static const MPI_Comm all = MPI_COMM_WORLD;

static void failing_collectives(void)
{
    const int n[RANKS] = {1, 1, 1}, at[RANKS] = {0, 1, 2};
    MPI_Request r;
    FAILS(MPI_Bcast(in, 1, none, 0, all));
    FAILS(MPI_Reduce(in, out, 1, none, MPI_SUM, 0, all));
    FAILS(MPI_Allreduce(in, out, 1, none, MPI_SUM, all));
    FAILS(MPI_Reduce_scatter_block(in, out, 1, none, MPI_SUM, all));
    FAILS(MPI_Reduce_scatter(in, out, n, none, MPI_SUM, all));
    FAILS(MPI_Reduce_local(in, out, 1, none, MPI_SUM));
    FAILS(MPI_Scan(in, out, 1, none, MPI_SUM, all));
    FAILS(MPI_Exscan(in, out, 1, none, MPI_SUM, all));
    FAILS(MPI_Gather(in, 1, none, out, 1, none, 0, all));
    FAILS(MPI_Gatherv(in, 1, none, out, n, at, none, 0, all));
    FAILS(MPI_Scatter(in, 1, none, out, 1, none, 0, all));
    FAILS(MPI_Scatterv(in, n, at, none, out, 1, none, 0, all));
    FAILS(MPI_Allgather(in, 1, none, out, 1, none, all));
    FAILS(MPI_Allgatherv(in, 1, none, out, n, at, none, all));
    FAILS(MPI_Alltoall(in, 1, none, out, 1, none, all));
    FAILS(MPI_Alltoallv(in, n, at, none, out, n, at, none, all));
    FAILS(MPI_Ibcast(in, 1, none, 0, all, &r));
    FAILS(MPI_Ireduce(in, out, 1, none, MPI_SUM, 0, all, &r));
    FAILS(MPI_Iallreduce(in, out, 1, none, MPI_SUM, all, &r));
    FAILS(MPI_Ireduce_scatter_block(in, out, 1, none, MPI_SUM, all, &r));
    FAILS(MPI_Igather(in, 1, none, out, 1, none, 0, all, &r));
    FAILS(MPI_Iscatter(in, 1, none, out, 1, none, 0, all, &r));
    FAILS(MPI_Iallgather(in, 1, none, out, 1, none, all, &r));
    FAILS(MPI_Ialltoall(in, 1, none, out, 1, none, all, &r));
}

static void failing_messages(void)
{
    enum { NOBODY = RANKS, TAG = 20 };
    MPI_Request r;
    MPI_Status status;
    FAILS(MPI_Send(in, 1, none, next, TAG, all));
    FAILS(MPI_Ssend(in, 1, none, next, TAG, all));
    FAILS(MPI_Rsend(in, 1, none, next, TAG, all));
    FAILS(MPI_Bsend(in, 1, none, next, TAG, all));
    FAILS(MPI_Isend(in, 1, none, next, TAG, all, &r));
    FAILS(MPI_Issend(in, 1, none, next, TAG, all, &r));
    FAILS(MPI_Irsend(in, 1, none, next, TAG, all, &r));
    FAILS(MPI_Recv(out, 1, MPI_CHAR, NOBODY, TAG, all, &status));
    FAILS(MPI_Sendrecv(in, 1, MPI_CHAR, MPI_PROC_NULL, TAG, out, 1, MPI_CHAR,
                       NOBODY, TAG, all, &status));
    FAILS(MPI_Sendrecv(in, 1, none, next, TAG, out, 1, MPI_CHAR, MPI_PROC_NULL,
                       TAG, all, &status));
    FAILS(MPI_Sendrecv_replace(in, 1, MPI_CHAR, MPI_PROC_NULL, TAG, NOBODY, TAG,
                               all, &status));
    FAILS(MPI_Probe(NOBODY, TAG, all, &status));
    FAILS(MPI_Irecv(out, 1, MPI_CHAR, NOBODY, TAG, all, &r));
    FAILS(MPI_Send_init(in, 1, none, next, TAG, all, &r));
    FAILS(MPI_Recv_init(out, 1, MPI_CHAR, NOBODY, TAG, all, &r));
}

/* Messages of this rank to itself, for which their receives have no room. */
static void truncated(void)
{
    enum { WAYS = 10, TAG = 30 };
    for (int way = 0; way < WAYS; way++) {
        MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Status s[2];
        int n = 0, index[2] = {0};
        if (way < 8)
            MPI_Irecv(out, 1, MPI_CHAR, rank, TAG, all, &r[1]);
        if (way != 9)
            MPI_Isend(in, 2, MPI_CHAR, rank, TAG, all, &r[0]);
        switch (way) {
        case 0: FAILS(MPI_Wait(&r[1], &s[0])); break;
        case 1: FAILS(MPI_Test(&r[1], &n, &s[0])); break;
        case 2: FAILS(MPI_Waitall(1, r + 1, s)); break;
        case 3: FAILS(MPI_Testall(1, r + 1, &n, s)); break;
        case 4: FAILS(MPI_Waitany(1, r + 1, index, s)); break;
        case 5: FAILS(MPI_Testany(1, r + 1, index, &n, s)); break;
        case 6: FAILS(MPI_Waitsome(1, r + 1, &n, index, s)); break;
        case 7: FAILS(MPI_Testsome(1, r + 1, &n, index, s)); break;
        case 8: FAILS(MPI_Recv(out, 1, MPI_CHAR, rank, TAG, all, s)); break;
        case 9:
            FAILS(MPI_Sendrecv(in, 2, MPI_CHAR, rank, TAG, out, 1, MPI_CHAR,
                               rank, TAG, all, s));
            break;
        }
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
}

static void failing(void)
{
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    failing_messages();
    truncated();
    failing_collectives();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    next = (rank + 1) % RANKS;
    prev = (rank + 2) % RANKS;
    if (cudaMalloc((void **)&in, 1 << 16) != cudaSuccess ||
        cudaMalloc((void **)&out, 1 << 16) != cudaSuccess)
        return EXIT_FAILURE;
    collectives();
    communicators();
    blocking();
    requests();
    ready();
    failing();
    MPI_Finalize();
}
