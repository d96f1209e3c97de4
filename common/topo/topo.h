/*
 * topo.h: the machine that a run is modelled on
 *
 * A machine is one or more nodes of GPUs, host memories, links and networks,
 * read from NCCL's topology XML (what NCCL_TOPO_DUMP_FILE writes), with an
 * element <calibration> of ours that says how fast the parts are and which
 * published measurements that was fitted to.
 *
 * For replay a machine is a set of *resources* (something with a rate in
 * bytes or flops per second: one direction of a link, a copy engine, a
 * memory, a device's compute) and, for each operation, a latency and the
 * resources that its work occupies. A route is deterministic.
 */
#ifndef COMMLAB_TOPO_TOPO_H
#define COMMLAB_TOPO_TOPO_H

#include <stddef.h>
#include <stdint.h>

#include "graph/record.h" /* enum graph_op, enum graph_math, places */

struct topo_gpu {
    char name[64];   /* "NVIDIA H100 80GB HBM3" */
    char bus_id[16]; /* "0000:1b:00.0" */
    int node, local; /* its node, its number within the node */
    int numa;        /* host memory it hangs off, within its node */
    int sm;          /* 90 for compute capability 9.0 */
    int nsm;         /* multiprocessors */
    int clock_khz, mem_clock_khz, mem_bus_bits;
    uint64_t mem_nbytes, l2_nbytes;
};

struct topo_resource {
    char name[48]; /* "nvlink G0->G3", "hbm G2", "sm G2", "ib n0->n1" */
    double rate;   /* per second: bytes, or flops for compute */
};

enum { TOPO_MAX_PATH = 12 };

struct topo_path { /* one way from place to place */
    uint64_t latency_ps;
    double rate_cap; /* bytes/s one transfer can reach alone, 0: no cap */
    int nresources;
    int resource[TOPO_MAX_PATH];
    const char *kind; /* as nvidia-smi topo -m: "NV4", "PIX", "SYS", "NET" */
};

enum topo_algo { TOPO_TREE, TOPO_RING, TOPO_COLLNET, TOPO_NVLS,
                 TOPO_NVLSTREE, TOPO_PAT, TOPO_ALGOS };
enum topo_proto { TOPO_LL, TOPO_LL128, TOPO_SIMPLE, TOPO_PROTOS };

struct topo_load { /* an operation's use of one resource */
    int resource;
    double work; /* bytes (or flops) */
};

/* What a collective costs. Caller releases with topo_coll_release(). */
struct topo_coll {
    enum topo_algo algo;
    enum topo_proto proto;
    uint64_t latency_ps; /* the part that bandwidth doesn't shorten */
    uint64_t time_ps;    /* alone on the machine: latency + work */
    int nloads;
    struct topo_load *loads;
};

struct topo;

/*
 * Load a machine: a shipped name ("dgx-h100", see topo_names) or the path of
 * an XML file (anything with a '/' or ending in .xml). On failure NULL, and
 * "file:line: what" in err.
 */
struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes);
void topo_free(struct topo *t);
const char *topo_name(const struct topo *t);
const char *const *topo_names(void); /* NULL-terminated */

int topo_ngpus(const struct topo *t);
int topo_nnodes(const struct topo *t);
const struct topo_gpu *topo_gpu(const struct topo *t, int gpu);
int topo_nresources(const struct topo *t);
const struct topo_resource *topo_resource(const struct topo *t, int resource);

/* May these GPUs map each other's memory (cudaDeviceCanAccessPeer)? */
int topo_p2p(const struct topo *t, int from_gpu, int to_gpu);

/*
 * The way that bytes take from place to place (see GRAPH_HOST_PLACE; from ==
 * to is a copy within one memory). direct: through peer access; without it
 * a GPU-to-GPU copy is staged through the host. -1 if a place is unknown.
 */
int topo_path(const struct topo *t, int32_t from, int32_t to, int direct,
              struct topo_path *out);

/* Resource of a GPU's compute for that kind of arithmetic, in flops/s. */
int topo_compute(const struct topo *t, int gpu, enum graph_math math);
int topo_memory(const struct topo *t, int32_t place);

/*
 * Cost of a collective of `op` over n places (rank i is on place[i]), bytes
 * as nccl-tests counts them. algo, proto: -1 for NCCL's own choice, which
 * obeys nothing but its arguments; the caller reads NCCL_ALGO. Returns 0, or
 * -1 with a line in err (an algorithm that can't do op, a place without GPU).
 */
int topo_collective(const struct topo *t, enum graph_op op, const int32_t *place,
                    int n, uint64_t bytes, int algo, int proto,
                    struct topo_coll *out, char *err, size_t err_nbytes);
void topo_coll_release(struct topo_coll *c);

/* "RING,TREE" as in NCCL_ALGO -> bit set; 0 if a word is unknown. */
unsigned topo_algo_set(const char *words);
unsigned topo_proto_set(const char *words);
const char *topo_algo_name(enum topo_algo a);
const char *topo_proto_name(enum topo_proto p);

/* Fixed host and device costs of this machine (see calibration). */
struct topo_costs {
    uint64_t launch_host_ps;   /* host time to enqueue anything */
    uint64_t kernel_ps;        /* device: start of an empty kernel */
    uint64_t copy_ps;          /* device: start of a copy */
    uint64_t sync_host_ps;     /* host: return from a synchronisation */
    uint64_t api_host_ps;      /* host: any other call */
    uint64_t mpi_ps;           /* MPI message or barrier step inside a node */
    uint64_t mpi_net_ps;       /* and across nodes */
    double mpi_rate;           /* bytes/s of an MPI message */
    double nccl_sm_share;      /* share of compute a running collective takes */
};
const struct topo_costs *topo_costs(const struct topo *t);

#endif
