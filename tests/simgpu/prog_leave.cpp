/*
 * Ways to end a rank of 2, as the argument says: rank 1's, or both ranks'.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool finalizes_late;

static void finalize()
{
    MPI_Finalize();
}

/* Made before main(), so it ends after the handlers that main() adds. */
static struct session {
    ~session()
    {
        if (finalizes_late)
            finalize();
    }
} session;

static void has_a_child()
{
    const pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, nullptr, 0);
    finalize();
}

int main(int argc, char **argv)
{
    int rank;
    const char *const how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "child") == 0) {
        has_a_child();
        return 0;
    }
    if (strcmp(how, "handler") == 0)
        return atexit(finalize);
    if (strcmp(how, "destructor") == 0) {
        finalizes_late = true;
        return 0;
    }
    if (rank == 1 && strcmp(how, "exits") == 0)
        exit(0);
    if (rank == 1 && strcmp(how, "fails") == 0)
        exit(3);
    if (strcmp(how, "returns") == 0 || (rank == 1 && strcmp(how, "early") == 0))
        return 0;
    if (rank == 1 && strcmp(how, "aborts") == 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
