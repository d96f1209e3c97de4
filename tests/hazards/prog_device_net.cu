// NCCL's device API over the network, on two or more ranks: what is not done
// when the call returns.
#include "device_api.cuh"

enum { PART = N / 2 * sizeof(float), HERE = N * sizeof(float) };

__device__ void fill(float *p, float value)
{
    for (int i = (int)threadIdx.x; i < N / 2; i += (int)blockDim.x)
        p[i] = value;
}

__device__ int after_me(const ncclDevComm &comm)
{
    return (comm.rank + 1) % comm.nRanks;
}

// Put part k of the second half of the window into the first half of the next
// rank's.
template <class REMOTE, class LOCAL>
__device__ void put_part(const ncclGin &gin, ncclWindow_t win, size_t k,
                         REMOTE remote, LOCAL local)
{
    gin.put(ncclTeamWorld(gin.comm), after_me(gin.comm), win, k * PART, win,
            HERE + k * PART, PART, remote, local);
}

__global__ void reuse(ncclWindow_t win, ncclDevComm comm, int flushes)
{
    ncclGin gin(comm, 0);
    float *const source = (float *)ncclGetLocalPointer(win, HERE);
    if (threadIdx.x == 0)
        put_part(gin, win, 0, ncclGin_SignalInc{0}, ncclGin_None{});
    if (flushes)
        gin.flush(ncclCoopCta());
    fill(source, 1);
    gin.waitSignal(ncclCoopCta(), 0, 1);
}

static void source_reused_before_flush(int fixed)
{
    FIRST SECOND reuse<<<1, THREADS, 0, stream>>>(win, dev, fixed);
}

__global__ void put_one(ncclWindow_t win, ncclDevComm comm, int flushes)
{
    ncclGin gin(comm, 0);
    if (threadIdx.x == 0)
        put_part(gin, win, 0, ncclGin_SignalInc{0}, ncclGin_None{});
    gin.waitSignal(ncclCoopCta(), 0, 1);
    if (flushes)
        gin.flush(ncclCoopCta());
}

static void source_reused_by_the_next_kernel(int fixed)
{
    FIRST put_one<<<1, THREADS, 0, stream>>>(win, dev, fixed);
    SECOND make<<<1, THREADS, 0, stream>>>(mem + N);
}

static void source_overwritten_by_a_copy(int fixed)
{
    FIRST put_one<<<1, THREADS, 0, stream>>>(win, dev, fixed);
    SECOND cudaMemsetAsync(mem + N, 0, PART, stream);
}

// Two puts that count; the source of both changes after `least` of them.
__global__ void reuse_counted(ncclWindow_t win, ncclDevComm comm,
                              uint64_t least)
{
    ncclGin gin(comm, 0);
    float *const source = (float *)ncclGetLocalPointer(win, HERE);
    if (threadIdx.x == 0)
        for (size_t k = 0; k < 2; k++)
            put_part(gin, win, k, ncclGin_SignalInc{0}, ncclGin_CounterInc{0});
    gin.waitCounter(ncclCoopCta(), 0, least);
    fill(source + N / 2, 1);
    gin.waitSignal(ncclCoopCta(), 0, 2);
}

static void counter_of_one_put_of_two(int fixed)
{
    FIRST SECOND reuse_counted<<<1, THREADS, 0, stream>>>(win, dev,
                                                          fixed ? 2 : 1);
}

// Two parts and a signal, which another rank waits for to read both.
enum { SIGNAL_FIRST, WEAK, OTHER_CONTEXT, IN_ORDER };
__global__ void send_parts(ncclWindow_t win, ncclDevComm comm, float *to,
                           int how)
{
    ncclGin gin(comm, 0), other(comm, 1);
    const ncclTeam world = ncclTeamWorld(comm);
    if (threadIdx.x == 0) {
        if (how == SIGNAL_FIRST)
            gin.signal(world, after_me(comm), ncclGin_SignalInc{0});
        put_part(gin, win, 0, ncclGin_None{}, ncclGin_None{});
        if (how == WEAK)
            put_part(gin, win, 1, ncclGin_WeakSignalInc{0}, ncclGin_None{});
        else if (how == OTHER_CONTEXT)
            put_part(other, win, 1, ncclGin_StrongSignalInc{0}, ncclGin_None{});
        else if (how == IN_ORDER)
            put_part(gin, win, 1, ncclGin_StrongSignalInc{0}, ncclGin_None{});
    }
    (how == OTHER_CONTEXT ? other : gin).waitSignal(ncclCoopCta(), 0, 1);
    const float *const came = (const float *)ncclGetLocalPointer(win, 0);
    for (int i = (int)threadIdx.x; i < N / 2; i += (int)blockDim.x)
        to[i] = came[i];
    gin.flush(ncclCoopCta());
    other.flush(ncclCoopCta());
}

static void signal_before_its_put(int fixed)
{
    FIRST SECOND send_parts<<<1, THREADS, 0, stream>>>(
        win, dev, out, fixed ? IN_ORDER : SIGNAL_FIRST);
}

static void weak_signal_for_two_puts(int fixed)
{
    FIRST SECOND send_parts<<<1, THREADS, 0, stream>>>(win, dev, out,
                                                       fixed ? IN_ORDER : WEAK);
}

static void signal_of_another_context(int fixed)
{
    FIRST SECOND send_parts<<<1, THREADS, 0, stream>>>(
        win, dev, out, fixed ? IN_ORDER : OTHER_CONTEXT);
}

__global__ void fetch(ncclWindow_t win, ncclDevComm comm, float *to, int waits)
{
    ncclGin gin(comm, 0);
    if (threadIdx.x == 0)
        gin.get(ncclTeamWorld(comm), after_me(comm), win, HERE, win, 0, PART);
    if (waits)
        gin.flush(ncclCoopCta());
    const float *const came = (const float *)ncclGetLocalPointer(win, 0);
    for (int i = (int)threadIdx.x; i < N / 2; i += (int)blockDim.x)
        to[i] = came[i];
    gin.flush(ncclCoopCta());
}

static void got_but_not_there_yet(int fixed)
{
    FIRST SECOND fetch<<<1, THREADS, 0, stream>>>(win, dev, out, fixed);
}

// Put, then meet the ranks of the world, or those of the rail.
__global__ void put_and_meet(ncclWindow_t win, ncclDevComm comm, int world)
{
    ncclGin gin(comm, 0);
    if (threadIdx.x == 0)
        put_part(gin, win, 0, ncclGin_None{}, ncclGin_None{});
    if (world)
        ncclGinBarrier(ncclCoopCta(), gin, ncclTeamTagWorld(), 0);
    else
        ncclGinBarrier(ncclCoopCta(), gin, ncclTeamTagRail(), 0);
}

static void network_barrier_of_the_wrong_team(int fixed)
{
    FIRST put_and_meet<<<1, THREADS, 0, stream>>>(win, dev, fixed);
    SECOND use<<<1, THREADS, 0, stream>>>(mem, out);
}

static void network_barrier_that_a_rank_misses(int fixed)
{
    if (fixed || rank != 0)
        put_and_meet<<<1, THREADS, 0, stream>>>(win, dev, 1);
    cudaStreamSynchronize(stream);
}

static const struct hazard_case cases[] = {
    {"source-reused", 2, "race~on~bytes", source_reused_before_flush},
    {"source-reused-later", 2, "race~on~bytes",
     source_reused_by_the_next_kernel},
    {"source-overwritten", 2, "race~on~bytes", source_overwritten_by_a_copy},
    {"one-counter-of-two", 2, "race~on~bytes", counter_of_one_put_of_two},
    {"signal-before-put", 2, "race~on~bytes", signal_before_its_put},
    {"weak-signal", 2, "race~on~bytes", weak_signal_for_two_puts},
    {"other-context", 2, "race~on~bytes", signal_of_another_context},
    {"get-not-waited-for", 2, "race~on~bytes", got_but_not_there_yet},
    {"gin-wrong-team", 2, "race~on~bytes", network_barrier_of_the_wrong_team},
    {"gin-barrier-missed", 2, "the~run~hangs",
     network_barrier_that_a_rank_misses},
};

int main(int argc, char **argv)
{
    return run_cases(cases, sizeof cases / sizeof *cases, argc, argv);
}
