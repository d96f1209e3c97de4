// Low-latency dispatch and combine of experts' tokens inside a node, by kernels
// that store over NVLink, as DeepEP has them: how long they take.
//
//     mpirun -n N prog_dev_experts EXPERTS K HIDDEN TOKENS...
//
// prints "TOKENS dispatch US combine US" for each number of tokens a rank.
//
// A token goes to K of the EXPERTS, which are spread evenly over the ranks.
// Dispatch sends it as 8-bit floats with a scale for each 128 of them and a
// header, combine returns 16-bit floats. Both have two halves: rows are stored
// at their destination, then all ranks meet, then what has arrived is copied to
// where the expert reads it, or added up. simgpu doesn't compute with such
// floats here: rows have the same bytes, but combine adds up fp32.
#include <cooperative_groups.h>
#include <math.h>

#include "ranks.cuh"

enum { BLOCKS = 128, THREADS = 64, MOST_K = 16 };

struct row_header {
    int token, choice; // of the sender; choice: 0 to k - 1
    int unused[2];
};

struct work { // the arguments of both kernels
    ncclDevComm comm;
    ncclWindow_t arrived, counts, returned;
    const int *expert, *slot; // by token and choice; slot: among this rank's
                              // rows for the expert
    const int *sent;          // by expert: this rank's rows for it
    float4 *packed;           // what has arrived, as the experts read it
    const float4 *processed;  // by local expert, sender and slot
    float4 *out;
    int ntokens, k, each, most; // each: experts of a rank; most: slots
    int in, back;               // float4 of a row: there, and on the way back
};

// Everything that all ranks' grids have stored has arrived afterwards.
__device__ void meet(const ncclDevComm &comm)
{
    const auto grid = cooperative_groups::this_grid();
    grid.sync();
    if (!blockIdx.x) {
        ncclLsaBarrierSession<ncclCoopCta> bar(ncclCoopCta(), comm,
                                               ncclTeamTagLsa(), 0);
        bar.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
    }
    grid.sync();
}

// Where rank r's memory has row `slot` of `sender` for a local expert.
__device__ size_t row_of(const work &w, int local, int sender, int slot)
{
    return (size_t)((local * w.comm.lsaSize + sender) * w.most + slot);
}

__device__ void copy_row(float4 *to, const float4 *from, int n)
{
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x)
        to[i] = from[i];
}

__device__ void send(const work &w, const float4 *tokens)
{
    for (int c = (int)blockIdx.x; c < w.ntokens * w.k; c += (int)gridDim.x) {
        const int e = w.expert[c];
        const size_t row =
            row_of(w, e % w.each, w.comm.lsaRank, w.slot[c]) * (size_t)w.in;
        float4 *const to = (float4 *)ncclGetLsaPointer(
            w.arrived, row * sizeof(float4), e / w.each);
        copy_row(to + 1, tokens + (size_t)(c / w.k) * (w.in - 1), w.in - 1);
        if (threadIdx.x == 0)
            *(row_header *)to = row_header{c / w.k, c % w.k, {0, 0}};
    }
}

__device__ void send_counts(const work &w)
{
    const int step = (int)(gridDim.x * blockDim.x);
    for (int e = (int)(blockIdx.x * blockDim.x + threadIdx.x);
         e < w.each * w.comm.lsaSize; e += step) {
        const int at = e % w.each * w.comm.lsaSize + w.comm.lsaRank;
        ((int *)ncclGetLsaPointer(w.counts, 0, e / w.each))[at] = w.sent[e];
    }
}

__global__ void dispatch(work w, const float4 *tokens)
{
    const float4 *const arrived =
        (const float4 *)ncclGetLocalPointer(w.arrived, 0);
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    send(w, tokens);
    send_counts(w);
    meet(w.comm);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.lsaSize;
         b += (int)gridDim.x) {
        const size_t first = (size_t)b * w.most * w.in;
        copy_row(w.packed + first, arrived + first, counts[b] * w.in);
    }
}

__global__ void combine(work w)
{
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    const float4 *const mine =
        (const float4 *)ncclGetLocalPointer(w.returned, 0);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.lsaSize * w.most;
         b += (int)gridDim.x) {
        const int group = b / w.most;
        if (b % w.most >= counts[group])
            continue;
        const row_header h = *(const row_header *)(w.packed + (size_t)b * w.in);
        const size_t row = (size_t)(h.token * w.k + h.choice) * w.back;
        copy_row((float4 *)ncclGetLsaPointer(w.returned, row * sizeof(float4),
                                             group % w.comm.lsaSize),
                 w.processed + (size_t)b * w.back, w.back);
    }
    meet(w.comm);
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
__global__ void process(work w, float4 *processed, int first_expert)
{
    const int *const counts = (const int *)ncclGetLocalPointer(w.counts, 0);
    for (int b = (int)blockIdx.x; b < w.each * w.comm.lsaSize * w.most;
         b += (int)gridDim.x) {
        const int group = b / w.most;
        if (b % w.most >= counts[group])
            continue;
        const row_header h = *(const row_header *)(w.packed + (size_t)b * w.in);
        const float x =
            (float)(first_expert + group / w.comm.lsaSize + h.token);
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
    MUST(cudaLaunchCooperativeKernel(kernel, dim3(BLOCKS), dim3(THREADS), args,
                                     0, stream));
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

// What the kernels share. There are two of each, used in turn, since a rank may
// begin the next exchange before the others have read this one.
struct windows {
    shared arrived[2], counts[2], returned[2];
};

static windows windows_make(const work &w, int nexperts)
{
    windows s;
    const size_t rows = (size_t)nexperts * (size_t)w.most;
    const size_t choices = (size_t)w.ntokens * (size_t)w.k;
    for (int i = 0; i < 2; i++) {
        s.arrived[i] = shared_make(rows * (size_t)w.in * sizeof(float4));
        s.counts[i] = shared_make((size_t)nexperts * sizeof(int));
        s.returned[i] = shared_make(choices * (size_t)w.back * sizeof(float4));
    }
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
}

static void windows_use(const windows &s, int i, work *w)
{
    w->arrived = s.arrived[i].win;
    w->counts = s.counts[i].win;
    w->returned = s.returned[i].win;
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
    w.processed = upload((float4 *)NULL, rows * (size_t)w.back);
    w.out = upload((float4 *)NULL, (size_t)ntokens * (size_t)w.back);
    return w;
}

static void work_free(const work &w, const routes &r)
{
    const void *const all[] = {w.expert, w.slot,      w.sent,
                               w.packed, w.processed, w.out};
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
    MUST(ncclDevCommCreate(comm, &reqs, &w.comm));
    MUST(cudaMemset(tokens, 0, n * sizeof *tokens));
    int turn = 0;
    void *args[] = {&w, &tokens};
    const double there = ranks_time_us([&] {
        windows_use(s, turn++ % 2, &w);
        launch((const void *)dispatch, args);
    });
    process<<<BLOCKS, THREADS, 0, stream>>>(w, (float4 *)w.processed,
                                            rank * w.each);
    const ncclWindow_t known = w.counts;
    const double back = ranks_time_us([&] {
        windows_use(s, turn++ % 2, &w);
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
