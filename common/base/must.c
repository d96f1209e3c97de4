#include "base/must.h"

#include <mpi.h>    /* PMPI_Abort */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* exit */

#include "base/drain.h"

static must_from_fn *says_from;

void must_say_from(must_from_fn *from)
{
    says_from = from;
}

void must_abort(int status)
{
    fflush(NULL);
    drain_wait();
    PMPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

void must_stop(const char *file, int line, const char *call, const char *error)
{
    char text[300] = "";
    int up = 0, down = 0, rank = 0;
    if (says_from)
        says_from(file, line, text, sizeof text);
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    if (up && !down)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s:%d: %s: %s%s\n", rank, file, line, call, error,
            text);
    if (up && !down)
        must_abort(1);
    exit(1);
}

void must_stop_mpi(const char *file, int line, const char *call, int error)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;
    MPI_Error_string(error, text, &length);
    must_stop(file, line, call, text);
}
