/*
 * topo.h: the machine that a run is modelled on
 *
 * A machine is one or more nodes of GPUs, host memories, links and networks,
 * read from NCCL's topology XML (what NCCL_TOPO_DUMP_FILE writes), with an
 * element <calibration> of ours that says how fast the parts are and which
 * published measurements that was fitted to: see common/topo/FORMAT.md.
 *
 * For replay a machine is a set of *resources* (something with a rate in bytes
 * or flops per second: one direction of a link, a copy engine, a memory, a
 * device's compute) and, for each operation, a latency and the resources that
 * its work occupies. Routes and costs are functions of the arguments alone.
 *
 * GPUs are numbered through all nodes; a place is a GPU's number or
 * GRAPH_HOST_PLACE(node). A loaded machine never changes, so threads may share
 * it.
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
    char name[48]; /* "nvlink G0->G3", "hbm G2", "fp32 G2", "out mlx5_0 n1" */
    double rate;   /* per second: bytes, or flops for compute */
};

enum { TOPO_MAX_PATH = 40 };

struct topo_path { /* one way from place to place */
    uint64_t latency_ps;
    double rate_cap; /* bytes/s one transfer can reach alone, 0: no cap */
    int nresources;
    int resource[TOPO_MAX_PATH]; /* each once; but a memory in which bytes are
                                    both read and written twice */
    char kind[8]; /* as nvidia-smi topo -m: "NV4", "PIX", "SYS"; "X", "NET" */
};

enum topo_algo { /* TOPO_P2P: point-to-point messages, no algorithm of NCCL's */
                 TOPO_TREE,
                 TOPO_RING,
                 TOPO_COLLNET,
                 TOPO_NVLS,
                 TOPO_NVLSTREE,
                 TOPO_PAT,
                 TOPO_P2P,
                 TOPO_ALGOS
};
enum topo_proto { TOPO_LL, TOPO_LL128, TOPO_SIMPLE, TOPO_PROTOS };

enum { TOPO_ANY = -1 }; /* as a set of algorithms or protocols: all of them */

struct topo_load { /* an operation's use of one resource */
    int resource;
    double work; /* bytes */
};

/* What a collective costs. Released with topo_coll_release(). */
struct topo_coll {
    enum topo_algo algo;
    enum topo_proto proto;
    uint64_t latency_ps; /* the part that bandwidth doesn't shorten */
    uint64_t time_ps;    /* alone on the machine: latency + work */
    int nloads;          /* work / rate <= time - latency for each of them */
    struct topo_load *loads;
};

struct topo;

/*
 * Load a machine: a shipped name ("dgx-h100", see topo_list) or the path of an
 * XML file (anything with a '/' or ending in .xml). "4x:dgx-a100" is that
 * machine with 4 nodes; "shuffled:SEED:NAME" numbers its GPUs in another order,
 * "sick:SEED:NAME" degrades one of its cables (variant.h says how they combine;
 * topo_name() has the seed "me" replaced). On failure NULL, and "file:line:
 * what" in err. Shipped machines are looked for in SIMGPU_TOPO_DIR if that is
 * set, else in simgpu's prefix, from where this code was loaded.
 */
struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes);

/*
 * Whose machine "shuffled:me:NAME" is: COMMLAB_STUDENT if that is set, else the
 * login name, with '-' for what a seed must not hold. Returns out.
 */
enum { TOPO_ME = 64 };
const char *topo_me(char out[TOPO_ME]);

void topo_free(struct topo *t);
const char *topo_name(const struct topo *t);

/* Names of the shipped machines, "a100-cubemesh, dgx-1v", to out. */
void topo_list(char *out, size_t nbytes);

int topo_ngpus(const struct topo *t);
int topo_nnodes(const struct topo *t);
const struct topo_gpu *topo_gpu(const struct topo *t, int gpu);
int topo_nresources(const struct topo *t);
const struct topo_resource *topo_resource(const struct topo *t, int resource);

/* May these GPUs map each other's memory (cudaDeviceCanAccessPeer)? */
int topo_p2p(const struct topo *t, int from_gpu, int to_gpu);

/*
 * The way that bytes of a copy take from place to place (from == to: within
 * one memory, bytes read and written both counted). direct: through peer
 * access; without it, or where it can't be, a copy between GPUs of one node is
 * staged through the host. Between nodes: through the nearest NICs. Returns 0,
 * -1 if a place is unknown or there is no network.
 */
int topo_path(const struct topo *t, int32_t from, int32_t to, int direct,
              struct topo_path *out);

/* Resource of a GPU's compute for that kind of arithmetic, in flops/s; of a
 * place's memory, in bytes/s. -1 if there is none. */
int topo_compute(const struct topo *t, int gpu, enum graph_math math);
int topo_memory(const struct topo *t, int32_t place);

/*
 * Cost of a collective of `op` over n places (rank i is on place[i]), bytes as
 * nccl-tests counts them. algos and protos are the sets of what NCCL may
 * choose from, bits 1 << TOPO_RING..., TOPO_ANY for all: the caller reads
 * NCCL_ALGO and NCCL_PROTO. Returns 0, or -1 with a line in err (nothing
 * allowed can do op, a place without GPU, two ranks on one GPU).
 *
 * The choice is NCCL's own (tuning.h). Its time is calibrated (curve.h).
 */
int topo_collective(const struct topo *t, enum graph_op op,
                    const int32_t *place, int n, uint64_t bytes, int algos,
                    int protos, struct topo_coll *out, char *err,
                    size_t err_nbytes);

/*
 * The channels of a communicator (rank i on place[i]): how many NCCL would use
 * for its rings, 0 if it can't; and the ranks of one in ring order, into rank[n].
 */
int topo_channels(const struct topo *t, const int32_t *place, int n);
void topo_ring(const struct topo *t, const int32_t *place, int n, int channel,
               int *rank);

/* Cost of one NCCL send with its receive, otherwise as topo_collective(). */
int topo_message(const struct topo *t, int32_t from, int32_t to, uint64_t bytes,
                 struct topo_coll *out, char *err, size_t err_nbytes);
void topo_coll_release(struct topo_coll *c);

/*
 * The value of NCCL_ALGO or NCCL_PROTO as a set: "RING,TREE", in any case; a
 * leading '^' means all but these. NULL and "" are TOPO_ANY; 0 if a word is
 * unknown.
 */
int topo_algo_set(const char *words);
int topo_proto_set(const char *words);
const char *topo_algo_name(enum topo_algo a);
const char *topo_proto_name(enum topo_proto p);

/* Fixed host and device costs of this machine (see calibration). */
struct topo_costs {
    uint64_t launch_host_ps; /* host time to enqueue anything */
    uint64_t kernel_ps;      /* device: start of an empty kernel */
    uint64_t copy_ps;        /* device: start of a copy, before its path's */
    uint64_t sync_host_ps;   /* host: return from a synchronisation */
    uint64_t api_host_ps;    /* host: any other call */
    uint64_t mpi_ps;         /* MPI message or barrier step inside a node */
    uint64_t mpi_net_ps;     /* and across nodes */
    double mpi_rate;         /* bytes/s of an MPI message */
    double nccl_sm_share;    /* share of compute a running collective takes */
};
const struct topo_costs *topo_costs(const struct topo *t);

/*
 * What nvidia-smi topo -m shows: the ends of links within a node are its GPUs,
 * then its NICs, each from 0.
 */
int topo_nnics(const struct topo *t); /* of one node */
const char *topo_nic_name(const struct topo *t, int nic);
/* "NV4", "PIX", "PXB", "PHB", "SYS" or "X" between two ends; into out. */
const char *topo_link(const struct topo *t, int end_a, int end_b, char out[8]);
/* The cores near a GPU, "0-3,8" from its CPU's affinity mask; into out. */
const char *topo_cores(const struct topo *t, int gpu, char *out, size_t nbytes);

#endif
