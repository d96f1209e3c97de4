/* Rank 1 of 3 calls a collective of MPI otherwise than the others, in the way
 * that the argument says: by its number in `ways`, or "count" for how many
 * there are. test_mpi_mismatch.c has what is reported. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, ROOM = 64 };

static int odd; // this rank differs
static int in[ROOM], out[ROOM];

/* ---- the root ------------------------------------------------------------ */

static void bcast(void)
{
    MPI_Bcast(in, 6, MPI_INT, odd ? 1 : 2, MPI_COMM_WORLD);
}

static void reduce(void)
{
    MPI_Reduce(in, out, 5, MPI_INT, MPI_BXOR, odd, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(in, 2, MPI_INT, out, 2, MPI_INT, odd, MPI_COMM_WORLD);
}

static void gatherv(void)
{
    const int counts[RANKS] = {2, 2, 2}, displs[RANKS] = {0, 2, 4};
    MPI_Gatherv(in, 2, MPI_INT, out, counts, displs, MPI_INT, odd,
                MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Scatter(in, 2, MPI_INT, out, 2, MPI_INT, odd, MPI_COMM_WORLD);
}

static void scatterv(void)
{
    const int counts[RANKS] = {2, 2, 2}, displs[RANKS] = {0, 2, 4};
    MPI_Scatterv(in, counts, displs, MPI_INT, out, 2, MPI_INT, odd,
                 MPI_COMM_WORLD);
}

/* ---- the size, and the operations' names --------------------------------- */

static void allreduce(void)
{
    MPI_Allreduce(in, out, 3 + odd, MPI_INT, odd ? MPI_MAX : MPI_SUM,
                  MPI_COMM_WORLD);
}

static void reduce_scatter_block(void)
{
    MPI_Reduce_scatter_block(in, out, 1 + odd, MPI_INT,
                             odd ? MPI_PROD : MPI_MIN, MPI_COMM_WORLD);
}

static void scan(void)
{
    MPI_Scan(in, out, 3 - odd, MPI_INT, odd ? MPI_LOR : MPI_LAND,
             MPI_COMM_WORLD);
}

static void exscan(void)
{
    MPI_Exscan(in, out, 1 + odd, MPI_INT, odd ? MPI_BOR : MPI_BAND,
               MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Allgather(in, 1 + odd, MPI_INT, out, 1 + odd, MPI_INT, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    MPI_Alltoall(in, 1 + odd, MPI_INT, out, 1 + odd, MPI_INT, MPI_COMM_WORLD);
}

/* ---- one thing alone ----------------------------------------------------- */

static void operation(void)
{
    MPI_Allreduce(in, out, 3, MPI_INT, odd ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD);
}

static void type(void)
{
    MPI_Allreduce(in, out, 3, odd ? MPI_FLOAT : MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
}

static void name(void)
{
    if (odd)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        MPI_Allgatherv(in, 0, MPI_INT, out, (int[RANKS]){0}, (int[RANKS]){0},
                       MPI_INT, MPI_COMM_WORLD);
}

/* The report is of those that meet. */
static void of_a_part(void)
{
    MPI_Comm part;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &part);
    if (rank > 0)
        MPI_Bcast(in, 1, MPI_INT, odd, part);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what may differ ----------------------------------------------------- */

static void product(void *a, void *b, int *n, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] *= ((int *)a)[i];
}

/* Ranks have handles of their own for the types and operations that they
 * make. */
static void own(void)
{
    MPI_Op unused, op;
    MPI_Datatype type = MPI_INT, made;
    MPI_Type_contiguous(1, MPI_INT, &made);
    MPI_Type_commit(&made);
    MPI_Op_create(product, 1, &unused);
    if (odd) {
        MPI_Op_free(&unused);
        type = made;
    }
    MPI_Op_create(product, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, out, 3, type, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    if (!odd)
        MPI_Op_free(&unused);
    MPI_Type_free(&made);
}

static void (*const ways[])(void) = {
    bcast,     reduce,   gather,    gatherv,
    scatter,   scatterv, allreduce, reduce_scatter_block,
    scan,      exscan,   allgather, alltoall,
    operation, type,     name,      of_a_part,
    own};

int main(int argc, char **argv)
{
    int rank;
    const char *const way = argc > 1 ? argv[1] : "count";
    if (strcmp(way, "count") == 0)
        return printf("%zu\n", sizeof ways / sizeof *ways) < 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    odd = rank == 1;
    ways[atoi(way)]();
    MPI_Finalize();
    if (rank == 0)
        printf("no difference\n");
}
