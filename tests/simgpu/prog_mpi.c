/* MPI takes device pointers: every call that programs of a course make with
 * them. */
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "rule.h"

enum { N = 5000 }; /* elements of a block: a large message */

static int rank, nranks;
static int *host, *in, *out; /* nranks + 1 blocks each; in, out: device */

/* Element i of block b of rank r's input. */
static int value(int r, int b, int i)
{
    return 1000 * r + 10 * b + i % 7;
}

static void fill(void)
{
    for (int b = 0; b <= nranks; b++)
        for (int i = 0; i < N; i++)
            host[b * N + i] = value(rank, b, i);
    const size_t nbytes = ((size_t)nranks + 1) * N * sizeof *host;
    cudaMemcpy(in, host, nbytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, nbytes);
    cudaDeviceSynchronize();
}

/* True if block b of the output is block `from_block` of rank r's input. */
static int block_is(int b, int r, int from_block)
{
    cudaMemcpy(host, out + b * N, N * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        if (host[i] != value(r, from_block, i))
            return 0;
    return 1;
}

/* True if block b of the output is the sum over ranks [0, n) of their
 * from_block. */
static int block_is_sum(int b, int from_block, int n)
{
    cudaMemcpy(host, out + b * N, N * sizeof *host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        int sum = 0;
        for (int r = 0; r < n; r++)
            sum += value(r, from_block, i);
        if (host[i] != sum)
            return 0;
    }
    return 1;
}

static int next_one(void)
{
    return (rank + 1) % nranks;
}

static int previous_one(void)
{
    return (rank + nranks - 1) % nranks;
}

static void check_blocking(void)
{
    const int right = next_one(), left = previous_one();
    MPI_Status status;
    fill();
    MPI_Sendrecv(in, N, MPI_INT, right, 1, out, N, MPI_INT, left, 1,
                 MPI_COMM_WORLD, &status);
    RULE(block_is(0, left, 0) && status.MPI_SOURCE == left, "Sendrecv");
    MPI_Sendrecv_replace(out, N, MPI_INT, left, 2, right, 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    RULE(block_is(0, rank, 0), "Sendrecv_replace, back again");
    if (rank % 2 == 0 && rank + 1 < nranks) {
        MPI_Send(in, N, MPI_INT, right, 3, MPI_COMM_WORLD);
        MPI_Ssend(in + N, N, MPI_INT, right, 4, MPI_COMM_WORLD);
    } else if (rank % 2) {
        int count = 0;
        MPI_Probe(left, 3, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(out, count, MPI_INT, left, 3, MPI_COMM_WORLD, &status);
        MPI_Recv(out + N, N, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD,
                 &status);
        RULE(count == N && block_is(0, left, 0), "Send, Probe, Recv");
        RULE(block_is(1, left, 1), "Ssend, Recv from any source");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* As at the ends of a chain of ranks: nothing is sent, and nothing comes. */
static void check_without_a_peer(void)
{
    MPI_Status status[3];
    MPI_Request request;
    const double before = MPI_Wtime();
    MPI_Ssend(in, N, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    const double after = MPI_Wtime(), later = MPI_Wtime();
    RULE(fabs(after - before - (later - after)) < 1e-9,
         "a send without a peer takes no time");
    MPI_Recv(out, N, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status[0]);
    MPI_Sendrecv(in, N, MPI_INT, MPI_PROC_NULL, 5, out, N, MPI_INT,
                 MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status[1]);
    MPI_Sendrecv_replace(out, N, MPI_INT, MPI_PROC_NULL, 5, MPI_PROC_NULL, 5,
                         MPI_COMM_WORLD, &status[2]);
    for (int i = 0; i < 3; i++)
        RULE(status[i].MPI_SOURCE == MPI_PROC_NULL, "a receive without a peer");
    MPI_Irecv(out, N, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv_init(out, N, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void check_requests(void)
{
    const int right = next_one(), left = previous_one();
    MPI_Request r[4];
    MPI_Status status[4];
    int n = 0, done = 0, index, indices[4];
    fill();
    MPI_Irecv(out, N, MPI_INT, left, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(out + N, N, MPI_INT, left, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(in, N, MPI_INT, right, 1, MPI_COMM_WORLD, &r[2]);
    MPI_Issend(in + N, N, MPI_INT, right, 2, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, status);
    RULE(block_is(0, left, 0) && block_is(1, left, 1), "Isend, Irecv, Waitall");

    fill();
    MPI_Irecv(out, N, MPI_INT, left, 3, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(in, N, MPI_INT, right, 3, MPI_COMM_WORLD, &r[1]);
    while (!done)
        MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    RULE(block_is(0, left, 0), "Test until it is true");

    fill();
    MPI_Irecv(out, N, MPI_INT, left, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(in, N, MPI_INT, right, 4, MPI_COMM_WORLD, &r[1]);
    for (int left_over = 2; left_over > 0; left_over -= n)
        MPI_Waitsome(2, r, &n, indices, status);
    RULE(block_is(0, left, 0), "Waitsome until there is nothing left");

    fill();
    MPI_Irecv(out, N, MPI_INT, left, 5, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(in, N, MPI_INT, right, 5, MPI_COMM_WORLD, &r[1]);
    MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    for (done = 0; !done;)
        MPI_Testall(2, r, &done, status);
    RULE(block_is(0, left, 0), "Waitany, then Testall");

    fill();
    MPI_Recv_init(out, N, MPI_INT, left, 6, MPI_COMM_WORLD, &r[0]);
    MPI_Send_init(in, N, MPI_INT, right, 6, MPI_COMM_WORLD, &r[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, status);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    RULE(block_is(0, left, 0), "persistent messages, again and again");
}

static void check_collectives(void)
{
    int *const counts = malloc((size_t)nranks * sizeof *counts);
    int *const displs = malloc((size_t)nranks * sizeof *displs);
    int right = 1;
    for (int r = 0; r < nranks; r++) {
        counts[r] = N;
        displs[r] = r * N;
    }
#define ALL(expression)                                                        \
    right = 1;                                                                 \
    for (int r = 0; r < nranks; r++)                                           \
    right &= (expression)

    fill();
    MPI_Allreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(block_is_sum(0, 0, nranks), "Allreduce");
    fill();
    MPI_Reduce(in, out, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    RULE(rank != 0 || block_is_sum(0, 0, nranks), "Reduce");
    fill();
    MPI_Scan(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(block_is_sum(0, 0, rank + 1), "Scan");
    fill();
    MPI_Exscan(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(rank == 0 || block_is_sum(0, 0, rank), "Exscan");
    fill();
    MPI_Reduce_scatter_block(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(block_is_sum(0, rank, nranks), "Reduce_scatter_block");
    fill();
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(block_is_sum(0, rank, nranks), "Reduce_scatter");
    fill();
    MPI_Allgather(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD);
    ALL(block_is(r, r, 0));
    RULE(right, "Allgather");
    fill();
    MPI_Allgatherv(in, N, MPI_INT, out, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    ALL(block_is(r, r, 0));
    RULE(right, "Allgatherv");
    fill();
    MPI_Gather(in, N, MPI_INT, out, N, MPI_INT, 0, MPI_COMM_WORLD);
    ALL(rank != 0 || block_is(r, r, 0));
    RULE(right, "Gather");
    fill();
    MPI_Gatherv(in, N, MPI_INT, out, counts, displs, MPI_INT, 0,
                MPI_COMM_WORLD);
    ALL(rank != 0 || block_is(r, r, 0));
    RULE(right, "Gatherv");
    fill();
    MPI_Scatter(in, N, MPI_INT, out, N, MPI_INT, 0, MPI_COMM_WORLD);
    RULE(block_is(0, 0, rank), "Scatter");
    fill();
    MPI_Scatterv(in, counts, displs, MPI_INT, out, N, MPI_INT, 0,
                 MPI_COMM_WORLD);
    RULE(block_is(0, 0, rank), "Scatterv");
    fill();
    MPI_Alltoall(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD);
    ALL(block_is(r, r, rank));
    RULE(right, "Alltoall");
    fill();
    MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT,
                  MPI_COMM_WORLD);
    ALL(block_is(r, r, rank));
    RULE(right, "Alltoallv");
    fill();
    cudaMemcpy(out, in, N * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    MPI_Allreduce(MPI_IN_PLACE, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    RULE(block_is_sum(0, 0, nranks), "Allreduce in place");
    fill();
    cudaMemcpy(out + rank * N, in, N * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, N, MPI_INT,
                  MPI_COMM_WORLD);
    ALL(block_is(r, r, 0));
    RULE(right, "Allgather in place, which ignores the type");
    MPI_Bcast(in, N, MPI_INT, 0, MPI_COMM_WORLD);
    cudaMemcpy(out, in, N * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    RULE(block_is(0, 0, 0), "Bcast");
    free(counts);
    free(displs);
}

static void check_nonblocking_collectives(void)
{
    const int last = nranks - 1;
    MPI_Request r;
    int right = 1;
#define DO(call)                                                               \
    fill();                                                                    \
    MPI_I##call;                                                               \
    MPI_Wait(&r, MPI_STATUS_IGNORE)

    DO(allreduce(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r));
    RULE(block_is_sum(0, 0, nranks), "Iallreduce");
    DO(reduce(in, out, N, MPI_INT, MPI_SUM, last, MPI_COMM_WORLD, &r));
    RULE(rank != last || block_is_sum(0, 0, nranks), "Ireduce");
    DO(reduce_scatter_block(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r));
    RULE(block_is_sum(0, rank, nranks), "Ireduce_scatter_block");
    DO(allgather(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD, &r));
    ALL(block_is(r, r, 0));
    RULE(right, "Iallgather");
    DO(gather(in, N, MPI_INT, out, N, MPI_INT, last, MPI_COMM_WORLD, &r));
    ALL(rank != last || block_is(r, r, 0));
    RULE(right, "Igather");
    DO(scatter(in, N, MPI_INT, out, N, MPI_INT, last, MPI_COMM_WORLD, &r));
    RULE(block_is(0, last, rank), "Iscatter");
    DO(alltoall(in, N, MPI_INT, out, N, MPI_INT, MPI_COMM_WORLD, &r));
    ALL(block_is(r, r, rank));
    RULE(right, "Ialltoall");
    MPI_Ibcast(in, N, MPI_INT, last, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    cudaMemcpy(out, in, N * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    RULE(block_is(0, last, 0), "Ibcast");
}

static void check_local_reduction(void)
{
    fill();
    cudaMemcpy(out, in, N * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    MPI_Reduce_local(in + N, out, N - 1, MPI_INT, MPI_SUM);
    cudaMemcpy(host, out, N * sizeof *host, cudaMemcpyDeviceToHost);
    int right = host[N - 1] == value(rank, 0, N - 1);
    for (int i = 0; i < N - 1; i++)
        right &= host[i] == value(rank, 0, i) + value(rank, 1, i);
    RULE(right, "Reduce_local");
}

/* Communicators of communicators agree on their members. */
static void check_communicators(void)
{
    MPI_Comm half, node, copy;
    int n, sum = 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_size(half, &n);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, half);
    RULE(sum == n, "Comm_split");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Comm_size(node, &n);
    RULE(n == nranks, "Comm_split_type: all ranks are on one node");
    MPI_Comm_dup(half, &copy);
    sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Comm_size(copy, &n);
    RULE(sum == n, "Comm_dup");
    MPI_Comm_free(&copy);
    MPI_Comm_free(&node);
    MPI_Comm_free(&half);
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    cudaSetDevice(rank);
    const size_t nbytes = ((size_t)nranks + 1) * N * sizeof *host;
    host = malloc(nbytes);
    cudaMalloc((void **)&in, nbytes);
    cudaMalloc((void **)&out, nbytes);
    check_blocking();
    check_without_a_peer();
    check_requests();
    check_collectives();
    check_nonblocking_collectives();
    check_local_reduction();
    check_communicators();
    RULE(MPI_Wtime() > 0, "and it all took time");
    cudaFree(in);
    cudaFree(out);
    free(host);
    MPI_Finalize();
    return rule_status();
}
