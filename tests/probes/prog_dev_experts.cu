// Low-latency dispatch and combine of experts' tokens, by kernels that store
// over NVLink and put over the network, like DeepEP's: how long they take.
//
//     mpirun -n N prog_dev_experts EXPERTS K HIDDEN TOKENS...
//
// prints "TOKENS dispatch US combine US" for each number of tokens a rank.
//
// A token goes to K of the EXPERTS, which are spread evenly over the ranks.
// Dispatch sends it as 8-bit floats with a scale for each 128 of them and a
// header, combine returns 16-bit floats. Both have two halves: rows are stored
// at their destination, then all ranks meet, then what has arrived is copied to
// where the expert reads it, or added up. Rows for other nodes are put first,
// and travel while the others are stored; a signal to each rank of another node
// follows the puts to it. simgpu doesn't compute with such
// floats here: rows have the same bytes, but combine adds up fp32.
#include <cooperative_groups.h>
#include <math.h>

#include "ranks.cuh"

enum { BLOCKS = 128, FAR_BLOCKS = 16, THREADS = 64, MOST_K = 16 };

struct row_header {
    int token, choice; // of the sender; choice: 0 to k - 1
    int unused[2];
};

struct work { // the arguments of both kernels
    ncclDevComm comm;
    ncclWindow_t arrived, counts, returned;
    ncclWindow_t staged;      // by choice: a row to be put
    ncclWindow_t processed;   // by local expert, sender and slot
    ncclWindow_t signals;     // 64 bits by sender: its exchanges so far
    uint64_t turn;            // number of this exchange, from 1
    const int *expert, *slot; // by token and choice; slot: among this rank's
                              // rows for the expert
    const int *sent;          // by expert: this rank's rows for it
    float4 *packed;           // what has arrived, as the experts read it
    float4 *out;
    int ntokens, k, each, most; // each: experts of a rank; most: slots
    int in, back;               // float4 of a row: there, and on the way back
};

__device__ bool is_near(const work &w, int r)
{
    const ncclTeam world = ncclTeamWorld(w.comm);
    const int l = ncclTeamRankToLsa(w.comm, world, r);
    return l >= 0 && l < w.comm.lsaSize;
}

// Where loads and stores reach a window of rank r, of the same node.
__device__ void *near(const work &w, ncclWindow_t win, size_t at, int r)
{
    const ncclTeam world = ncclTeamWorld(w.comm);
    return ncclGetLsaPointer(win, at, ncclTeamRankToLsa(w.comm, world, r));
}

// Call this with all threads of a block.
__device__ void put(const work &w, int r, ncclWindow_t to, size_t to_at,
                    ncclWindow_t from, size_t from_at, int nrow)
{
    ncclGin(w.comm, 0).put(ncclTeamWorld(w.comm), r, to, to_at * sizeof(float4),
                           from, from_at * sizeof(float4),
                           nrow * sizeof(float4), ncclGin_None{},
                           ncclGin_None{}, ncclCoopCta());
}

// Tell the ranks of other nodes that this rank's puts to them are complete.
__device__ void signal_far(const work &w)
{
    const ncclTeam world = ncclTeamWorld(w.comm);
    for (int r = (int)threadIdx.x; r < world.nRanks; r += (int)blockDim.x)
        if (!is_near(w, r))
            ncclGin(w.comm, 0).signal(
                world, r,
                ncclGin_StrongVASignalInc{w.signals,
                                          world.rank * sizeof(uint64_t)});
}

__device__ void await_far(const work &w)
{
    ncclGin gin(w.comm, 0);
    for (int r = (int)threadIdx.x; r < w.comm.nRanks; r += (int)blockDim.x)
        if (!is_near(w, r))
            gin.waitSignal(ncclCoopThread(), w.signals, r * sizeof(uint64_t),
                           w.turn);
    gin.flush(ncclCoopCta());
}

// Ranks are on several nodes.
__host__ __device__ bool is_far(const work &w)
{
    return w.comm.nRanks > w.comm.lsaSize;
}

// Call this between puts and stores. simgpu runs the blocks one after another,
// so that a block's puts would wait for the stores of the blocks before it.
__device__ void end_puts(const work &w)
{
    if (is_far(w))
        cooperative_groups::this_grid().sync();
}

// Everything that all ranks' grids have stored and put has arrived afterwards.
__device__ void meet(const work &w)
{
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    if (!blockIdx.x) {
        if (is_far(w))
            signal_far(w);
        ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), w.comm,
                                               ncclTeamTagLsa(), 0);
        bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
        if (is_far(w))
            await_far(w);
    }
    grid.sync();
}

// Where a rank's memory has row `slot` of `sender` for a local expert.
__device__ size_t row_of(const work &w, int local, int sender, int slot)
{
    return (size_t)((local * w.comm.nRanks + sender) * w.most + slot);
}

__device__ void copy_row(float4 *to, const float4 *from, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        to[i] = from[i];
}

// Send the rows of choice c to its expert, by puts or by stores.
__device__ void send(const work &w, const float4 *tokens, int c, bool by_put)
{
    const int e = w.expert[c], r = e / w.each;
    if (is_near(w, r) == by_put)
        return;
    const size_t at = row_of(w, e % w.each, w.comm.rank, w.slot[c]) * w.in;
    const size_t staged = (size_t)c * w.in;
    float4 *const to =
        (float4 *)(by_put
                       ? ncclGetLocalPointer(w.staged, staged * sizeof(float4))
                       : near(w, w.arrived, at * sizeof(float4), r));
    copy_row(to + 1, tokens + (size_t)(c / w.k) * (w.in - 1), w.in - 1);
    if (threadIdx.x == 0)
        *(row_header *)to = row_header{c / w.k, c % w.k, {0, 0}};
    if (by_put)
        put(w, r, w.arrived, at, w.staged, staged, w.in);
}

__device__ void send_counts(const work &w, bool by_put)
{
    const ncclTeam world = ncclTeamWorld(w.comm);
    const int step = (int)(gridDim.x * blockDim.x);
    for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
         e < w.each * world.nRanks; e += step) {
        const int r = e / w.each;
        const size_t at = (size_t)(e % w.each * world.nRanks + world.rank);
        if (is_near(w, r) == by_put)
            continue;
        if (by_put)
            ncclGin(w.comm, 0).putValue(world, r, w.counts, at * sizeof(int),
                                        w.sent[e]);
        else
            *(int *)near(w, w.counts, at * sizeof(int), r) = w.sent[e];
    }
}

__device__ void send_all(const work &w, const float4 *tokens, bool by_put)
{
    for (int c = (int)blockIdx.x; c < w.ntokens * w.k; c += (int)gridDim.x)
        send(w, tokens, c, by_put);
    send_counts(w, by_put);
}

__global__ void dispatch(work w, const float4 *tokens)
{
    const float4 *const arrived =
        (const float4 *)ncclGetLocalPointer(w.arrived, 0);
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    send_all(w, tokens, true);
    end_puts(w);
    send_all(w, tokens, false);
    meet(w);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.nRanks;
         b += (int)gridDim.x) {
        const size_t first = (size_t)b * w.most * w.in;
        copy_row(w.packed + first, arrived + first, counts[b] * w.in);
    }
}

// Return the results of row b to the rank that sent it.
__device__ void give_back(const work &w, int b, bool by_put)
{
    const int r = b / w.most % w.comm.nRanks;
    if (is_near(w, r) == by_put)
        return;
    const row_header h = *(const row_header *)(w.packed + (size_t)b * w.in);
    const size_t at = (size_t)(h.token * w.k + h.choice) * w.back;
    const size_t from = (size_t)b * w.back;
    if (by_put)
        put(w, r, w.returned, at, w.processed, from, w.back);
    else
        copy_row((float4 *)near(w, w.returned, at * sizeof(float4), r),
                 (const float4 *)ncclGetLocalPointer(w.processed, 0) + from,
                 w.back);
}

__device__ void give_back_all(const work &w, bool by_put)
{
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.nRanks * w.most;
         b += (int)gridDim.x)
        if (b % w.most < counts[b / w.most])
            give_back(w, b, by_put);
}

__global__ void combine(work w)
{
    const float4 *const mine =
        (const float4 *)ncclGetLocalPointer(w.returned, 0);
    give_back_all(w, true);
    end_puts(w);
    give_back_all(w, false);
    meet(w);
    for (int t = (int)blockIdx.x; t < w.ntokens; t += (int)gridDim.x)
        for (int i = (int)threadIdx.x; i < w.back; i += (int)blockDim.x) {
            float4 sum = {0, 0, 0, 0};
            for (int c = t * w.k; c < (t + 1) * w.k; c++) {
                const float4 x = mine[(size_t)c * w.back + i];
                sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z,
                                  sum.w + x.w);
            }
            w.out[(size_t)t * w.back + i] = sum;
        }
}

// In place of the experts: a row is the number of its expert, plus its token's.
__global__ void process(work w)
{
    float4 *const processed = (float4 *)ncclGetLocalPointer(w.processed, 0);
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.nRanks * w.most;
         b += (int)gridDim.x) {
        const int group = b / w.most;
        if (b % w.most >= counts[group])
            continue;
        const row_header h = *(const row_header *)(w.packed + (size_t)b * w.in);
        const float x =
            (float)(w.comm.rank * w.each + group / w.comm.nRanks + h.token);
        for (int i = (int)threadIdx.x; i < w.back; i += (int)blockDim.x)
            processed[(size_t)b * w.back + i] = make_float4(x, x, x, x);
    }
}

// ---- one number of tokens ---------------------------------------------------

struct routes { // of this rank's tokens
    int *expert, *slot, *sent, most;
};

static unsigned draw()
{
    static unsigned state;
    state = state ? state * 1664525 + 1013904223 : (unsigned)rank + 1;
    return state >> 8;
}

static void choose(int *expert, int k, int nexperts)
{
    for (int i = 0; i < k; i++) {
        int twice = 1;
        while (twice) {
            expert[i] = (int)(draw() % (unsigned)nexperts);
            twice = 0;
            for (int j = 0; j < i; j++)
                twice |= expert[j] == expert[i];
        }
    }
}

static routes routes_draw(int ntokens, int k, int nexperts)
{
    const int n = ntokens * k;
    routes r = {new int[n], new int[n], new int[nexperts](), 0};
    int most = 0;
    for (int t = 0; t < ntokens; t++)
        choose(r.expert + t * k, k, nexperts);
    for (int c = 0; c < n; c++) {
        r.slot[c] = r.sent[r.expert[c]]++;
        most = r.slot[c] + 1 > most ? r.slot[c] + 1 : most;
    }
    MPI_Allreduce(&most, &r.most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return r;
}

template <class T> static T *upload(const T *host, size_t n)
{
    T *p = NULL;
    MUST(cudaMalloc((void **)&p, n * sizeof *p));
    if (host)
        MUST(cudaMemcpy(p, host, n * sizeof *p, cudaMemcpyHostToDevice));
    return p;
}

static void launch(const void *kernel, void **args)
{
    const unsigned n = is_far(*(const work *)args[0]) ? FAR_BLOCKS : BLOCKS;
    MUST(cudaLaunchCooperativeKernel(kernel, dim3(n), dim3(THREADS), args, 0,
                                     stream));
}

static void check(const work &w, const routes &r)
{
    const size_t n = (size_t)w.ntokens * (size_t)w.back * 4;
    float *const got = new float[n];
    MUST(cudaMemcpy(got, w.out, n * sizeof *got, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) {
        const int t = (int)(i / ((size_t)w.back * 4));
        float sum = 0;
        for (int c = t * w.k; c < (t + 1) * w.k; c++)
            sum += (float)(r.expert[c] + t);
        if (got[i] != sum) {
            fprintf(stderr, "rank %d: word %zu of token %d is %g, not %g\n",
                    rank, i % ((size_t)w.back * 4), t, got[i], sum);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    delete[] got;
}

// What the kernels share. There are two of those that other ranks write, used
// in turn, since a rank may begin the next exchange before the others have read
// this one.
struct windows {
    shared arrived[2], counts[2], returned[2], staged, processed, signals;
};

static windows windows_make(const work &w, int nexperts)
{
    windows s;
    const size_t in = (size_t)w.in * sizeof(float4);
    const size_t back = (size_t)w.back * sizeof(float4);
    const size_t rows = (size_t)nexperts * (size_t)w.most;
    const size_t choices = (size_t)w.ntokens * (size_t)w.k;
    for (int i = 0; i < 2; i++) {
        s.arrived[i] = shared_make(rows * in);
        s.counts[i] = shared_make((size_t)nexperts * sizeof(int));
        s.returned[i] = shared_make(choices * back);
    }
    s.staged = shared_make(choices * in);
    s.processed = shared_make(rows * back);
    s.signals = shared_make((size_t)nranks * sizeof(uint64_t));
    return s;
}

static void windows_free(windows *s)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        shared_free(&s->arrived[i]);
        shared_free(&s->counts[i]);
        shared_free(&s->returned[i]);
    }
    shared_free(&s->staged);
    shared_free(&s->processed);
    shared_free(&s->signals);
}

// Prepare the next exchange.
static void windows_turn(const windows &s, work *w)
{
    const int i = (int)(w->turn++ % 2);
    w->arrived = s.arrived[i].win;
    w->counts = s.counts[i].win;
    w->returned = s.returned[i].win;
    w->staged = s.staged.win;
    w->processed = s.processed.win;
    w->signals = s.signals.win;
}

// Without windows and a device communicator.
static work work_make(const routes &r, int nexperts, int k, int hidden,
                      int ntokens)
{
    work w = {};
    const size_t rows = (size_t)nexperts * (size_t)r.most;
    w.ntokens = ntokens;
    w.k = k;
    w.each = nexperts / nranks;
    w.most = r.most;
    w.in = 1 + (hidden + hidden / 128 * 4 + 15) / 16;
    w.back = hidden * 2 / 16;
    w.expert = upload(r.expert, (size_t)ntokens * (size_t)k);
    w.slot = upload(r.slot, (size_t)ntokens * (size_t)k);
    w.sent = upload(r.sent, (size_t)nexperts);
    w.packed = upload((float4 *)NULL, rows * (size_t)w.in);
    w.out = upload((float4 *)NULL, (size_t)ntokens * (size_t)w.back);
    return w;
}

static void work_free(const work &w, const routes &r)
{
    const void *const all[] = {w.expert, w.slot, w.sent, w.packed, w.out};
    for (const void *p : all)
        MUST(cudaFree((void *)p));
    delete[] r.expert;
    delete[] r.slot;
    delete[] r.sent;
}

static void measure(int nexperts, int k, int hidden, int ntokens)
{
    const routes r = routes_draw(ntokens, k, nexperts);
    work w = work_make(r, nexperts, k, hidden, ntokens);
    windows s = windows_make(w, nexperts);
    const size_t n = (size_t)ntokens * (size_t)(w.in - 1);
    float4 *tokens = upload((float4 *)NULL, n);
    ncclDevCommRequirements reqs = no_requirements();
    reqs.lsaBarrierCount = 1;
    if (ncclTeamLsa(comm).nRanks < nranks)
        reqs.ginConnectionType = NCCL_GIN_CONNECTION_FULL;
    MUST(ncclDevCommCreate(comm, &reqs, &w.comm));
    MUST(cudaMemset(tokens, 0, n * sizeof *tokens));
    void *args[] = {&w, &tokens};
    const double there = ranks_time_us([&] {
        windows_turn(s, &w);
        launch((const void *)dispatch, args);
    });
    process<<<BLOCKS, THREADS, 0, stream>>>(w);
    const ncclWindow_t known = w.counts;
    const double back = ranks_time_us([&] {
        windows_turn(s, &w);
        w.counts = known;
        launch((const void *)combine, args);
    });
    check(w, r);
    if (rank == 0)
        printf("%d dispatch %.3f combine %.3f\n", ntokens, there, back);
    windows_free(&s);
    MUST(ncclDevCommDestroy(comm, &w.comm));
    MUST(cudaFree(tokens));
    work_free(w, r);
}

int main(int argc, char **argv)
{
    ranks_begin(&argc, &argv);
    for (int i = 4; i < argc; i++)
        measure(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]), atoi(argv[i]));
    ranks_end();
    return 0;
}
