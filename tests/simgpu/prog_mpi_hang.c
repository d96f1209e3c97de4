/* Both ranks wait for ever, as the argument says. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
    int word = 0, rank, index;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int other = !rank, way = atoi(argv[1]);
    if (way > 7)
        MPI_Send(&word, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    else if (way > 3)
        MPI_Irecv(&word, 1, MPI_INT, other, 9, MPI_COMM_WORLD, &request);
    switch (way) {
    case 0:
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
        break;
    case 1:
        MPI_Recv(&word, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &status);
        break;
    case 2: MPI_Ssend(&word, 1, MPI_INT, other, 8, MPI_COMM_WORLD); break;
    case 3:
        if (rank == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        break;
    case 4: MPI_Wait(&request, &status); break;
    case 5: MPI_Waitall(1, &request, &status); break;
    case 6: MPI_Waitany(1, &request, &index, &status); break;
    case 7: MPI_Waitsome(1, &request, &index, &word, &status); break;
    case 8:
        MPI_Recv(&word, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &status);
        break;
    case 9: MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status); break;
    }
    MPI_Finalize();
}
