/* MPI's start, its clock, and communicators, for 4 ranks. The arguments are how
 * many of them a node of the machine has, 4 or 1, and what MPI_Init_thread() is
 * asked for, or -1 for MPI_Init(). */
#include <cuda_runtime.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/shm.h>  /* shmget */
#include <sys/stat.h> /* S_IRUSR */

#include "rule.h"

static int rank, per_node;

static void must(int err)
{
    if (err != MPI_SUCCESS)
        exit(EXIT_FAILURE);
}

/* ---- the start ----------------------------------------------------------- */

static const struct {
    const char *name, *value;
} settings[] = {
    {"UCX_SYSV_RX_BUFS_GROW", "32"}, {"UCX_RNDV_THRESH", "16384"},
    {"FI_PROVIDER", "tcp"},          {"FI_OFI_RXM_SAR_LIMIT", "16384"},
    {"MPIR_CVAR_NOLOCAL", "1"},      {"HWLOC_COMPONENTS", "no_os,stop"},
};

/* What UCX may use here, of what goes with a process. */
static const char *best_transports(void)
{
    const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | S_IRUSR | S_IWUSR);
    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0 ? "sysv,self" : "^posix";
}

static void check_settings(const char *own)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *const value = getenv(settings[i].name);
        RULE(value && strcmp(value, settings[i].value) == 0, settings[i].name);
    }
    const char *const tls = getenv("UCX_TLS");
    RULE(tls && strcmp(tls, own) == 0, "UCX's shared memory");
}

/* ---- the clock ----------------------------------------------------------- */

static void check_clock(void)
{
    const double before = MPI_Wtime(), after = MPI_Wtime();
    RULE(MPI_Wtick() == 1e-12, "the clock has picoseconds");
    RULE(after > before && after - before < 1e-4, "it runs in seconds");
}

/* ---- communicators ------------------------------------------------------- */

/* The members of a communicator as digits; it is freed. */
static const char *members(MPI_Comm comm)
{
    static char text[32];
    int all[8], n;
    MPI_Comm_size(comm, &n);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < n; i++)
        text[i] = (char)('0' + all[i]);
    text[n] = 0;
    MPI_Comm_free(&comm);
    return text;
}

static void check_nodes(void)
{
    MPI_Comm comm;
    char name[MPI_MAX_PROCESSOR_NAME] = "", expected[16];
    int length = -1;
    snprintf(expected, sizeof expected, "node%d", rank);
    must(MPI_Get_processor_name(name, &length));
    RULE((strcmp(name, expected) == 0) == (per_node == 1) &&
             length == (int)strlen(name),
         "each node has a name of its own");
    must(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank,
                             MPI_INFO_NULL, &comm));
    snprintf(expected, sizeof expected, "%d", rank);
    RULE(strcmp(members(comm), per_node == 1 ? expected : "3210") == 0,
         "ranks of a node share memory, in the order of their keys");
    must(MPI_Comm_split_type(MPI_COMM_WORLD,
                             rank == 3 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED,
                             0, MPI_INFO_NULL, &comm));
    if (rank == 3)
        RULE(comm == MPI_COMM_NULL, "a rank may be in no communicator");
    else
        RULE(strcmp(members(comm), per_node == 1 ? expected : "012") == 0,
             "the others are");
}

static void check_made(void)
{
    MPI_Comm comm, grid;
    MPI_Group all, some;
    MPI_Info info;
    const int dims[2] = {2, 2}, periods[2] = {1, 0}, remain[2] = {0, 1};
    const int chosen[3] = {3, 1, 0};
    int is_periodic[2], place[2], shape[2];
    must(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm));
    RULE(strcmp(members(comm), rank % 2 ? "31" : "20") == 0, "Comm_split");
    MPI_Info_create(&info);
    must(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm));
    RULE(strcmp(members(comm), "0123") == 0, "Comm_dup_with_info");
    MPI_Info_free(&info);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 3, chosen, &some);
    must(MPI_Comm_create(MPI_COMM_WORLD, some, &comm));
    if (rank == 2)
        RULE(comm == MPI_COMM_NULL, "Comm_create without this rank");
    else
        RULE(strcmp(members(comm), "310") == 0, "Comm_create");
    must(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    MPI_Cart_get(grid, 2, shape, is_periodic, place);
    RULE(shape[0] == 2 && shape[1] == 2 && is_periodic[0] && !is_periodic[1] &&
             place[0] == rank / 2 && place[1] == rank % 2,
         "Cart_create");
    must(MPI_Cart_sub(grid, remain, &comm));
    RULE(strcmp(members(comm), rank < 2 ? "01" : "23") == 0, "Cart_sub");
    MPI_Comm_free(&grid);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
}

/* ---- errors -------------------------------------------------------------- */

/* MPI finds them before it asks other ranks. */
static void check_errors(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Status status;
    int word = 0, done = 0;
    const int dims[2] = {3, 3}, periods[2] = {0, 0};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    RULE(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, NULL), "nowhere to put a part");
    RULE(MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &comm),
         "no such type of a communicator");
    RULE(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm), "no group");
    RULE(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm),
         "a grid of too many");
    RULE(MPI_Cart_sub(MPI_COMM_WORLD, dims, &comm), "no grid at all");
    RULE(MPI_Comm_dup(MPI_COMM_WORLD, NULL) &&
             MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, NULL),
         "nowhere to put a duplicate");
    RULE(MPI_Send(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD), "Send to nobody");
    RULE(MPI_Recv(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &status),
         "Recv from nobody");
    RULE(MPI_Irecv(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &r),
         "Irecv from nobody");
    RULE(MPI_Send_init(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &r) &&
             MPI_Recv_init(&word, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &r),
         "nor is a request made");
    RULE(MPI_Sendrecv(&word, 1, MPI_INT, 77, 0, &word, 1, MPI_INT, 77, 0,
                      MPI_COMM_WORLD, &status) &&
             MPI_Sendrecv_replace(&word, 1, MPI_INT, 77, 0, 77, 0,
                                  MPI_COMM_WORLD, &status),
         "Sendrecv with nobody");
    RULE(MPI_Probe(77, 0, MPI_COMM_WORLD, &status), "Probe of nobody");
    RULE(MPI_Test(&r, NULL, &status) && MPI_Testall(-1, &r, &done, &status),
         "tests of nothing");
    RULE(MPI_Type_size(MPI_INT, &done) == MPI_SUCCESS && done == 4,
         "and MPI goes on");
}

int main(int argc, char **argv)
{
    const int required = argc > 2 ? atoi(argv[2]) : -1;
    int provided = -1;
    per_node = argc > 1 ? atoi(argv[1]) : 4;
    const char *const own = required < 0 ? "self,sysv" : NULL;
    if (own)
        setenv("UCX_TLS", own, 1); // a user's own setting is kept
    if (required < 0)
        must(MPI_Init(&argc, &argv));
    else
        must(MPI_Init_thread(&argc, &argv, required, &provided));
    RULE(required < 0 || provided == required, "threads as they are asked for");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    cudaSetDevice(0);
    check_settings(own ? own : best_transports());
    check_clock();
    check_nodes();
    check_made();
    check_errors();
    must(MPI_Finalize());
    return rule_status();
}
