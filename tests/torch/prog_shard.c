/* links: nn nnref judge graph topo base
 * links: solutions/lab8-sharded-training/
 * links: common/staff/lab8-sharded-training/support.c
 * links: common/staff/lab8-sharded-training/disk.c
 * links: common/staff/lab8-sharded-training/norm.cu
 *
 * Sharded training, for PyTorch to repeat: as JSON, a network and its weights,
 * the data of all ranks, and the losses of five steps of lab 8's solution.
 *
 *     mpirun -n N prog_shard zero2|zero3|fsdp|mixed|hybrid
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab8.h"
#include "ranks.h"

enum { STEPS = 5, PER_UNIT = 2, PER_NODE = 2 };

static const struct nn_shape shape = {
    .depth = 7, .in = 11, .hidden = 21, .out = 5, .rows = 6, .loss = NN_MSE};
static const struct nn_hyper hyper = {
    .lr = 0.01F, .beta1 = 0.9F, .beta2 = 0.99F, .eps = 1e-3F, .decay = 0.01F};

static const struct way {
    const char *name;
    ncclResult_t (*open)(struct shard *s);
    ncclResult_t (*step)(struct shard *s, const struct nn_batch *b, int micro);
} ways[] = {{"zero2", zero2_open, zero2_step},
            {"zero3", zero3_open, zero3_step},
            {"fsdp", fsdp_open, fsdp_step},
            {"mixed", mixed_open, fsdp_step},
            {"hybrid", fsdp_open, fsdp_step}};

static const struct way *way_named(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(name, ways[i].name) == 0)
            return &ways[i];
    return NULL;
}

struct world {
    ncclComm_t comm, node, replicas;
    int rank, nranks;
};

static void open_shard(struct world *w, const struct way *way, struct nn *m,
                       struct shard *s)
{
    if (strcmp(way->name, "hybrid") == 0) {
        NCCL_MUST(
            hybrid_split(w->comm, w->rank, PER_NODE, &w->node, &w->replicas));
        NCCL_MUST(shard_init(s, m, w->node, w->rank % PER_NODE, PER_NODE,
                             PER_UNIT, &hyper));
        s->replicas = w->replicas;
    } else {
        NCCL_MUST(
            shard_init(s, m, w->comm, w->rank, w->nranks, PER_UNIT, &hyper));
    }
    NCCL_MUST(way->open(s));
}

/* ---- data ---------------------------------------------------------------- */

static void print_floats(const char *name, const float *x, size_t count)
{
    printf(",\n\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%.9g", i ? "," : "", (double)x[i]);
    printf("]");
}

static void print_weights(uint64_t seed)
{
    for (int l = 0; l < shape.depth; l++) {
        char name[16];
        const size_t count = nn_layer_count(&shape, l);
        float *const w = malloc(count * sizeof *w);
        for (size_t i = 0; i < count; i++)
            w[i] = nn_weight(&shape, seed, l, i);
        snprintf(name, sizeof name, "w%d", l);
        print_floats(name, w, count);
        free(w);
    }
}

static size_t fill_data(float **out, int rank, int step, int is_target)
{
    const size_t cols = (size_t)(is_target ? shape.out : shape.in);
    const size_t count = (size_t)shape.rows * cols;
    const uint64_t seed = nn_data_seed((uint64_t)rank + 1, step, 0);
    *out = malloc(count * sizeof **out);
    for (size_t i = 0; i < count; i++)
        (*out)[i] = is_target ? nn_target(seed, i) : nn_input(seed, i);
    return count;
}

static void *upload_data(int rank, int step, int is_target)
{
    float *h;
    void *d;
    const size_t nbytes = fill_data(&h, rank, step, is_target) * sizeof *h;
    CUDA_MUST(cudaMalloc(&d, nbytes));
    CUDA_MUST(cudaMemcpy(d, h, nbytes, cudaMemcpyHostToDevice));
    free(h);
    return d;
}

static void print_data(int nranks)
{
    for (int step = 0; step < STEPS; step++)
        for (int rank = 0; rank < nranks; rank++)
            for (int is_target = 0; is_target < 2; is_target++) {
                char name[32];
                float *h;
                const size_t count = fill_data(&h, rank, step, is_target);
                snprintf(name, sizeof name, "%c%d.%d", is_target ? 't' : 'x',
                         step, rank);
                print_floats(name, h, count);
                free(h);
            }
}

/* ---- training ------------------------------------------------------------ */

/* The mean of all ranks' losses. */
static double train(const struct world *w, const struct way *way,
                    struct shard *s, int step)
{
    void *const x = upload_data(w->rank, step, 0);
    void *const target = upload_data(w->rank, step, 1);
    const struct nn_batch b = {.x = x, .target = target};
    double loss;
    NCCL_MUST(way->step(s, &b, 1));
    CUDA_MUST(nn_read_loss(s->m, &loss));
    MPI_MUST(MPI_Allreduce(MPI_IN_PLACE, &loss, 1, MPI_DOUBLE, MPI_SUM,
                           MPI_COMM_WORLD));
    CUDA_MUST(cudaDeviceSynchronize());
    CUDA_MUST(cudaFree(x));
    CUDA_MUST(cudaFree(target));
    return loss / w->nranks;
}

int main(int argc, char **argv)
{
    const struct way *const way = argc == 2 ? way_named(argv[1]) : NULL;
    struct world w = {.node = NULL};
    struct nn m;
    struct shard s;
    double loss[STEPS];
    cudaStream_t stream;
    if (!way) {
        fprintf(stderr, "usage: prog_shard zero2|zero3|fsdp|mixed|hybrid\n");
        return 2;
    }
    MPI_MUST(MPI_Init(&argc, &argv));
    open_ranks(&w.comm, &w.rank, &w.nranks);
    CUDA_MUST(cudaStreamCreate(&stream));
    CUDA_MUST(nn_init(&m, &shape, stream));
    CUDA_MUST(nn_fill(&m, 1));
    open_shard(&w, way, &m, &s);
    for (int step = 0; step < STEPS; step++)
        loss[step] = train(&w, way, &s, step);
    if (w.rank == 0) {
        printf("{\"way\": \"%s\", \"ranks\": %d, \"per_node\": %d, "
               "\"per_unit\": %d, \"depth\": %d, \"in\": %d, \"hidden\": %d, "
               "\"out\": %d, \"rows\": %d,\n\"lr\": %.9g, \"betas\": [%.9g, "
               "%.9g], \"eps\": %.9g, \"decay\": %.9g,\n\"losses\": [",
               way->name, w.nranks, PER_NODE, PER_UNIT, shape.depth, shape.in,
               shape.hidden, shape.out, shape.rows, (double)hyper.lr,
               (double)hyper.beta1, (double)hyper.beta2, (double)hyper.eps,
               (double)hyper.decay);
        for (int step = 0; step < STEPS; step++)
            printf("%s%.17g", step ? ", " : "", loss[step]);
        printf("]");
        print_weights(1);
        print_data(w.nranks);
        printf("}\n");
    }
    shard_release(&s);
    nn_release(&m);
    CUDA_MUST(cudaStreamDestroy(stream));
    if (w.node)
        NCCL_MUST(ncclCommDestroy(w.node));
    if (w.replicas)
        NCCL_MUST(ncclCommDestroy(w.replicas));
    NCCL_MUST(ncclCommDestroy(w.comm));
    MPI_MUST(MPI_Finalize());
    return 0;
}
