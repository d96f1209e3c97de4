/*
 * Polls until a message arrives: rank 0 works on the host for as many
 * milliseconds as the argument says before it sends. Prints the final
 * MPI_Wtime(), which must not depend on real delays.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
    int rank, done = 0, message = 0, count;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double begin = MPI_Wtime();
    if (rank == 0) {
        usleep((useconds_t)atoi(argv[1]) * 1000);
        MPI_Send(&message, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        usleep((useconds_t)atoi(argv[1]) * 1000);
        MPI_Send(&message, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&message, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        for (done = 0; !done;)
            MPI_Iprobe(0, 2, MPI_COMM_WORLD, &done, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(&message, count, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %.12f\n", rank, MPI_Wtime() - begin);
    MPI_Finalize();
    return 0;
}
