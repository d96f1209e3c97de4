/*
 * devcomm.cuh: probes of NCCL's device API, on any number of ranks
 *
 * Each rank has a window of WORDS floats to send from and one to receive in.
 * Before each probe, word i of the first is value(rank, i) and the second is
 * zero.
 */
#ifndef COMMLAB_TESTS_PROBES_DEVCOMM_CUH
#define COMMLAB_TESTS_PROBES_DEVCOMM_CUH

#include <mpi.h>

#include "devcomm.h"

enum { WORDS = 4096, THREADS = 64 };

static int rank, nranks, before, after; // this rank, how many, its neighbours
static ncclComm_t comm;
static cudaStream_t stream;
static float *in, *out;
static ncclWindow_t in_win, out_win;

static void begin(int *argc, char ***argv);
static void end();
#define PROBE_BEGIN() begin(&argc, &argv)
#define PROBE_END()   end()

#include "probe.h"

#define DONE(call) CHECK((call) == ncclSuccess)

static float *window(ncclWindow_t *win)
{
    float *p = nullptr;
    DONE(ncclMemAlloc((void **)&p, WORDS * sizeof *p));
    DONE(ncclCommWindowRegister(comm, p, WORDS * sizeof *p, win,
                                NCCL_WIN_COLL_SYMMETRIC));
    return p;
}

static void begin(int *argc, char ***argv)
{
    ncclUniqueId id;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    before = (rank + nranks - 1) % nranks;
    after = (rank + 1) % nranks;
    int ndevices = 1;
    cudaGetDeviceCount(&ndevices);
    cudaSetDevice(rank % ndevices);
    cudaStreamCreate(&stream);
    if (rank == 0)
        ncclGetUniqueId(&id);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    DONE(ncclCommInitRank(&comm, nranks, id, rank));
    in = window(&in_win);
    out = window(&out_win);
}

static void end()
{
    MPI_Barrier(MPI_COMM_WORLD);
    ncclCommWindowDeregister(comm, in_win);
    ncclCommWindowDeregister(comm, out_win);
    MPI_Barrier(MPI_COMM_WORLD);
    ncclMemFree(in);
    ncclMemFree(out);
    ncclCommDestroy(comm);
    MPI_Finalize();
}

static float value(int r, int i)
{
    return (float)(r + 1 + i % 7);
}

// The ranks' sum of word i.
static inline float total(int i)
{
    float sum = 0;
    for (int r = 0; r < nranks; r++)
        sum += value(r, i);
    return sum;
}

static float host[WORDS];

// A device communicator; the windows get their first contents.
static ncclDevComm make(const ncclDevCommRequirements &reqs)
{
    ncclDevComm c;
    DONE(ncclDevCommCreate(comm, &reqs, &c));
    for (int i = 0; i < WORDS; i++)
        host[i] = value(rank, i);
    OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof host));
    OK(cudaDeviceSynchronize());
    MPI_Barrier(MPI_COMM_WORLD);
    return c;
}

static void drop(const ncclDevComm &c)
{
    OK(cudaStreamSynchronize(stream));
    MPI_Barrier(MPI_COMM_WORLD);
    DONE(ncclDevCommDestroy(comm, &c));
}

// True if words [first, first + n) of this rank's `out` are want(i).
template <class F> static bool holds(int first, int n, F want)
{
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int wrong_at = -1;
    for (int i = n - 1; i >= 0; i--)
        if (host[first + i] != want(i))
            wrong_at = i;
    if (wrong_at >= 0)
        printf("rank %d: word %d is %g, not %g\n", rank, wrong_at,
               host[first + wrong_at], want(wrong_at));
    return wrong_at < 0;
}

// True if loads and stores reach all ranks.
static inline bool one_node()
{
    return ncclTeamLsa(comm).nRanks == nranks;
}

#endif
