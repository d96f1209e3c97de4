// prog_random_blocks.cu: what threads tell each other, in random order
//
//   prog_random_blocks SEED
//
// Launches of random shapes: blocks, clusters and grids that synchronise. All
// threads of a launch go through the same steps, drawn from SEED; in each they
// exchange what they have by one of the ways that CUDA has, and mix what they
// get into what they have. A line for each launch: its shape, its steps and a
// digest of what its threads have in the end.
//
// Threads that end on their way are left out of all later steps. Each step ends
// with a barrier if it needs one, so no order of threads shows.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h> /* atoi */

namespace cg = cooperative_groups;

enum { MOST = 256, STEPS = 9, LAUNCHES = 24, BLOCKS = 64, WORDS = 8 };

enum what {
    SHARED,    // another's word of shared memory
    COUNT,     // how many of the block
    END,       // some threads end
    BALLOT,    // of the warp, and of some of its lanes
    SHUFFLE,   // of the warp
    MATCH,     // of the warp
    REDUCE,    // of the warp
    COALESCED, // the lanes of a branch
    NAMED,     // barriers of some warps
    TILES,     // of a warp
    LARGE,     // tiles of several warps
    ADDS,      // atomics on shared memory
    UPDATES,   // atomics on global memory
    FLAGS,     // words that another block waits for
    CLUSTER,   // another block's shared memory
    SPLIT,     // the same, between arriving and waiting
    GRID,      // another block's global memory
    WHATS
};

struct step {
    int what;
    unsigned a, b;
};

struct program {
    struct step step[STEPS];
    int nsteps;
};

struct memory {
    unsigned has[BLOCKS * MOST], given[BLOCKS * MOST];
    unsigned word[WORDS], flag[STEPS][BLOCKS], lent[STEPS][BLOCKS];
};

// A thread's own.
struct self {
    unsigned has;  // all that it got, mixed
    unsigned mask; // lanes of its warp that have not ended
    unsigned me, n, block, nblocks;
    unsigned *box, *spare; // the block's, a word for each thread
    struct memory *memory;
};

__device__ static void mix_in(struct self *t, unsigned v)
{
    t->has = t->has * 0x9e3779b1u + 2 * v + 1;
    t->has ^= t->has >> 15;
}

/* ---- steps of a block ---------------------------------------------------- */

__device__ static void shared_step(struct self *t, struct step s)
{
    t->box[t->me] = t->has;
    __syncthreads();
    mix_in(t, t->box[(t->me * s.a + s.b) % t->n]);
    __syncthreads();
}

__device__ static void count_step(struct self *t, struct step s)
{
    const int p = t->has % (s.a % 5 + 1) == 0;
    const int q = t->has % (s.b % 300 + 1) != 0;
    mix_in(t, (unsigned)__syncthreads_count(p));
    mix_in(t, (unsigned)__syncthreads_and(q));
    mix_in(t, (unsigned)__syncthreads_or(!q));
}

// Barriers of the first warps, then of all.
__device__ static void named_step(struct self *t, struct step s)
{
    const unsigned warps = t->n / 32, some = s.b % (warps ? warps : 1) + 1;
    if (t->n % 32) {
        shared_step(t, s);
        return;
    }
    t->box[t->me] = t->has;
    if (t->me / 32 < some) {
        __barrier_sync_count(s.a % 15 + 1, some * 32);
        mix_in(t, t->box[(t->me + s.a) % (some * 32)]);
    }
    __barrier_sync(0);
    mix_in(t, t->box[(t->me + s.b) % t->n]);
    __syncthreads();
}

__device__ static void adds_step(struct self *t, struct step s)
{
    if (t->me == 0)
        for (int i = 0; i < WORDS; i++)
            t->spare[i] = 7;
    __syncthreads();
    atomicAdd(&t->spare[t->has % WORDS], t->me + s.a % 100);
    atomicMax(&t->spare[t->has % 3], t->has >> 8);
    __syncthreads();
    mix_in(t, t->spare[(t->me + s.b) % WORDS]);
    __syncthreads();
}

/* ---- steps of a warp ----------------------------------------------------- */

__device__ static void ballot_step(struct self *t, struct step s)
{
    const unsigned lane = t->me % 32, some = t->mask & (s.a | 1u << s.b % 32);
    mix_in(t, __ballot_sync(t->mask, (int)(t->has >> s.b % 32 & 1)));
    if (some >> lane & 1) {
        mix_in(t, __ballot_sync(some, (int)(t->has & 1)));
        mix_in(t, (unsigned)__any_sync(some, t->has % 40 == 0));
        mix_in(t, (unsigned)__all_sync(some, t->has % 40 != 0));
    }
    __syncwarp(t->mask);
}

__device__ static int is_whole(const struct self *t)
{
    return t->mask == ~0u;
}

__device__ static void shuffle_step(struct self *t, struct step s)
{
    const int width = 2 << s.b % 5, by = (int)(s.a % 32);
    if (!is_whole(t))
        return;
    mix_in(t, __shfl_sync(~0u, t->has, (int)(t->has % 64), width));
    mix_in(t, __shfl_up_sync(~0u, t->has, by, width));
    mix_in(t, __shfl_down_sync(~0u, t->has, by, width));
    mix_in(t, __shfl_xor_sync(~0u, t->has, by, width));
    const double d = __shfl_xor_sync(~0u, (double)t->has, by);
    mix_in(t, (unsigned)(d / 3));
}

__device__ static void match_step(struct self *t, struct step s)
{
    int same;
    mix_in(t, __match_any_sync(t->mask, t->has % (s.a % 6 + 1)));
    mix_in(t, __match_all_sync(t->mask, t->has % (s.b % 2 + 1), &same));
    mix_in(t, (unsigned)same);
}

__device__ static void reduce_step(struct self *t, struct step s)
{
    const unsigned lane = t->me % 32, some = t->mask & (s.a | 1u << s.b % 32);
    if (some >> lane & 1) {
        mix_in(t, __reduce_add_sync(some, t->has));
        mix_in(t, __reduce_min_sync(some, t->has));
        mix_in(t, (unsigned)__reduce_max_sync(some, (int)t->has));
        mix_in(t, __reduce_and_sync(some, t->has | s.b));
        mix_in(t, __reduce_or_sync(some, t->has & s.b));
        mix_in(t, __reduce_xor_sync(some, t->has));
    }
    __syncwarp(t->mask);
}

__device__ static void coalesced_step(struct self *t, struct step s)
{
    if (t->me % (s.a % 3 + 2) == 0) {
        const cg::coalesced_group g = cg::coalesced_threads();
        mix_in(t, g.thread_rank() + 100 * g.size());
        mix_in(t, g.shfl(t->has, s.b % g.size()));
        mix_in(t, g.ballot((int)(t->has & 1)));
        mix_in(t, cg::reduce(g, t->has, cg::plus<unsigned>()));
        g.sync();
    }
    __syncwarp(t->mask);
}

template <unsigned SIZE> __device__ void tiles_of(struct self *t, struct step s)
{
    const auto g = cg::tiled_partition<SIZE>(cg::this_thread_block());
    mix_in(t, g.meta_group_rank() + 1000 * g.meta_group_size());
    mix_in(t, g.shfl_xor(t->has, s.a % SIZE));
    mix_in(t, cg::inclusive_scan(g, t->has, cg::plus<unsigned>()));
    mix_in(t, cg::exclusive_scan(g, t->has, cg::plus<unsigned>()));
    mix_in(t, (unsigned)g.any(t->has % 19 == 0));
    g.sync();
}

__device__ static void tiles_step(struct self *t, struct step s)
{
    if (!is_whole(t))
        return;
    switch (s.b % 4) {
    case 0: tiles_of<4>(t, s); break;
    case 1: tiles_of<8>(t, s); break;
    case 2: tiles_of<16>(t, s); break;
    default: tiles_of<32>(t, s);
    }
}

/* ---- steps of several blocks --------------------------------------------- */

// What each word becomes doesn't depend on the order of these updates.
__device__ static void updates_step(struct self *t, struct step s)
{
    unsigned *const w = t->memory->word;
    switch (s.a % 6) {
    case 0: atomicAdd(&w[0], t->has); break;
    case 1: atomicMin(&w[1], t->has); break;
    case 2: atomicMax((int *)&w[2], (int)t->has); break;
    case 3: atomicOr(&w[3], 1u << t->has % 32); break;
    case 4: atomicXor(&w[4], t->has); break;
    default:
        for (unsigned was = w[5], then;
             (then = atomicCAS(&w[5], was, was + t->me)) != was;)
            was = then;
    }
}

// The next block, which may begin later, sets a flag; this one waits for it.
__device__ static void flags_step(struct self *t, struct step s, int nth)
{
    unsigned *const flag = t->memory->flag[nth];
    volatile unsigned *const lent = t->memory->lent[nth];
    if (t->me == 0) {
        lent[t->block] = t->has;
        __threadfence();
        atomicExch(&flag[t->block], 1u + s.a % 9);
        const unsigned next = (t->block + 1 + s.b) % t->nblocks;
        while (atomicAdd(&flag[next], 0u) == 0)
            ;
        __threadfence();
        mix_in(t, lent[next]);
    }
    __syncthreads();
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
__device__ static void cluster_step(struct self *, struct step, int) {}
#else
__device__ static void cluster_step(struct self *t, struct step s, int split)
{
    cg::cluster_group c = cg::this_cluster();
    const unsigned rank = (c.block_rank() + s.a % 7) % c.num_blocks();
    t->box[t->me] = t->has;
    if (split) {
        c.barrier_arrive();
        mix_in(t, c.thread_rank() + 1000 * c.num_threads());
        c.barrier_wait();
    } else {
        c.sync();
    }
    const unsigned *const theirs = c.map_shared_rank(t->box, rank);
    mix_in(t, theirs[(t->me + s.b) % t->n] + c.query_shared_rank(theirs));
    c.sync();
}
#endif

__device__ static void grid_step(struct self *t, struct step s)
{
    const unsigned all = t->nblocks * t->n, at = t->block * t->n + t->me;
    unsigned *const given = t->memory->given;
    given[at] = t->has;
    cg::this_grid().sync();
    mix_in(t, given[(at + s.a) % all]);
    cg::this_grid().sync();
}

/* ---- a launch ------------------------------------------------------------ */

__device__ static void take_step(struct self *t, struct step s, int nth)
{
    switch (s.what) {
    case SHARED: shared_step(t, s); break;
    case COUNT: count_step(t, s); break;
    case BALLOT: ballot_step(t, s); break;
    case SHUFFLE: shuffle_step(t, s); break;
    case MATCH: match_step(t, s); break;
    case REDUCE: reduce_step(t, s); break;
    case COALESCED: coalesced_step(t, s); break;
    case NAMED: named_step(t, s); break;
    case TILES: tiles_step(t, s); break;
    case LARGE:
        if (t->n % 64 == 0)
            mix_in(t, cg::tiled_partition<64>(cg::this_thread_block())
                          .shfl(t->has, s.a % 64));
        break;
    case ADDS: adds_step(t, s); break;
    case UPDATES: updates_step(t, s); break;
    case FLAGS: flags_step(t, s, nth); break;
    case CLUSTER: cluster_step(t, s, 0); break;
    case SPLIT: cluster_step(t, s, 1); break;
    case GRID: grid_step(t, s); break;
    default: break;
    }
}

__global__ void go(struct program p, struct memory *m)
{
    __shared__ unsigned box[MOST];
    extern __shared__ unsigned spare[];
    const cg::thread_block b = cg::this_thread_block();
    struct self t = {};
    t.me = b.thread_rank();
    t.n = b.size();
    t.block = (unsigned)cg::this_grid().block_rank();
    t.nblocks = (unsigned)cg::this_grid().num_blocks();
    const unsigned left = t.n - t.me / 32 * 32; // threads of this warp
    t.mask = left < 32 ? (1u << left) - 1 : ~0u;
    t.box = box;
    t.spare = spare;
    t.memory = m;
    box[t.me] = 0;
    mix_in(&t, t.me + 0x10000 * t.block + blockIdx.z);
    __syncthreads();
    for (int i = 0; i < p.nsteps; i++) {
        const struct step s = p.step[i];
        const int ends = s.what == END && t.me % (s.a % 9 + 2) == 1;
        if (s.what == END)
            t.mask = __ballot_sync(t.mask, !ends);
        if (ends)
            break;
        take_step(&t, s, i);
    }
    m->has[t.block * MOST + t.me] = t.has;
}

/* ---- drawing launches ---------------------------------------------------- */

static uint64_t state;

static unsigned draw(unsigned n) /* 0..n-1, by splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ z >> 31) % n);
}

enum how { PLAIN, CLUSTERED, COOPERATIVE, BOTH, HOWS };

struct shape {
    enum how how;
    dim3 grid, cluster, block;
};

static struct shape draw_shape(void)
{
    static const dim3 blocks[] = {dim3(1),       dim3(31),       dim3(32),
                                  dim3(33),      dim3(64),       dim3(5, 3, 7),
                                  dim3(8, 4, 4), dim3(1, 16, 4), dim3(192)};
    static const dim3 clusters[] = {dim3(1),       dim3(2),    dim3(3, 1, 2),
                                    dim3(2, 2, 2), dim3(1, 3), dim3(4, 2),
                                    dim3(5)};
    const unsigned how = draw(HOWS);
    struct shape s = {(enum how)how, dim3(1), dim3(1),
                      blocks[draw(sizeof blocks / sizeof *blocks)]};
    if (how == CLUSTERED || how == BOTH)
        s.cluster = clusters[draw(sizeof clusters / sizeof *clusters)];
    s.grid = dim3(s.cluster.x * (1 + draw(2)), s.cluster.y * (1 + draw(2)),
                  s.cluster.z * (1 + draw(2)));
    return s;
}

// A barrier of the grid waits for all threads: none may end before.
static int is_allowed(enum how how, int what)
{
    const int cluster = what == CLUSTER || what == SPLIT;
    const int grid = what == GRID || what == FLAGS;
    return how == PLAIN         ? !cluster && !grid
           : how == CLUSTERED   ? !grid
           : how == COOPERATIVE ? !cluster && what != END
                                : what != END;
}

static struct program draw_program(enum how how)
{
    struct program p = {};
    int ended = 0;
    while (p.nsteps < STEPS) {
        const int what = (int)draw(WHATS);
        const struct step s = {what, draw(1u << 31), draw(1u << 31)};
        if (!is_allowed(how, what) ||
            (ended && (what == NAMED || what == LARGE)))
            continue;
        ended |= what == END;
        p.step[p.nsteps++] = s;
    }
    return p;
}

static cudaError_t launch(const struct shape *s, const struct program *p,
                          struct memory *m)
{
    cudaLaunchAttribute a[2] = {};
    cudaLaunchConfig_t c = {};
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = s->how == COOPERATIVE || s->how == BOTH;
    a[1].id = cudaLaunchAttributeClusterDimension;
    a[1].val.clusterDim.x = s->cluster.x;
    a[1].val.clusterDim.y = s->cluster.y;
    a[1].val.clusterDim.z = s->cluster.z;
    c.gridDim = s->grid;
    c.blockDim = s->block;
    c.dynamicSmemBytes = WORDS * sizeof(unsigned);
    c.attrs = a;
    c.numAttrs = s->how == CLUSTERED || s->how == BOTH ? 2 : 1;
    return cudaLaunchKernelEx(&c, go, *p, m);
}

static unsigned digest(const unsigned *at, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ at[i] ^ h >> 15) * 16777619u;
    return h;
}

static void print(const struct shape *s, const struct program *p,
                  const struct memory *m)
{
    printf("%u,%u,%u/%u,%u,%u x %u,%u,%u %d:", s->grid.x, s->grid.y, s->grid.z,
           s->cluster.x, s->cluster.y, s->cluster.z, s->block.x, s->block.y,
           s->block.z, s->how);
    for (int i = 0; i < p->nsteps; i++)
        printf(" %d", p->step[i].what);
    printf(" = %08x %08x\n", digest(m->has, BLOCKS * MOST),
           digest(m->word, WORDS));
}

int main(int argc, char **argv)
{
    static struct memory h;
    struct memory *d;
    state = argc > 1 ? (uint64_t)atoi(argv[1]) : 1;
    if (cudaMalloc(&d, sizeof *d) != cudaSuccess)
        return 1;
    for (int i = 0; i < LAUNCHES; i++) {
        const struct shape s = draw_shape();
        const struct program p = draw_program(s.how);
        cudaMemset(d, 0, sizeof *d);
        const cudaError_t err = launch(&s, &p, d);
        if (err != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
            printf("%s\n", cudaGetErrorString(err));
            return 1;
        }
        cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
        print(&s, &p, &h);
    }
    return cudaFree(d) != cudaSuccess;
}
