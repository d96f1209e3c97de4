/*
 * A rank that comes to MPI_Finalize() while its launcher does not run.
 *
 *     mpirun -n 2 prog_mpi_finalize FOLDER
 *
 * After MPI_Init(), rank 0 writes its parent's process id to FOLDER/parent.
 * The ranks then wait until FOLDER/go exists.
 */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static void say_parent(const char *folder)
{
    char path[4096], part[4200];
    snprintf(path, sizeof path, "%s/parent", folder);
    snprintf(part, sizeof part, "%s.part", path);
    FILE *const f = fopen(part, "w");
    if (!f || fprintf(f, "%d\n", (int)getppid()) < 0 || fclose(f) != 0 ||
        rename(part, path) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    char go[4096];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (rank == 0)
        say_parent(argv[1]);
    snprintf(go, sizeof go, "%s/go", argv[1]);
    while (access(go, F_OK) != 0)
        usleep(10000);
    MPI_Finalize();
    return 0;
}
