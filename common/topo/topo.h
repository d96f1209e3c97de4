/*
 * topo.h: the machine that a run is modelled on
 *
 * A machine is one or more nodes of GPUs, host memories, links and networks,
 * read from NCCL's topology XML (written by NCCL_TOPO_DUMP_FILE). An additional
 * element <calibration> gives the speeds of the parts, and cites the published
 * measurements that they were fitted to: see common/topo/FORMAT.md.
 *
 * For a replay, a machine is a set of *resources*, each with a rate in bytes or
 * flops per second (one direction of a link, a copy engine, a memory, a
 * device's compute). An operation costs a latency, and occupies resources with
 * its work. Paths and costs depend only on the arguments.
 *
 * GPUs are numbered across all nodes; op.h defines places. A loaded machine
 * never changes, so threads may share it.
 */
#ifndef COMMLAB_TOPO_TOPO_H
#define COMMLAB_TOPO_TOPO_H

#include <stddef.h>
#include <stdint.h>

#include "topo/op.h" /* enum topo_op, enum topo_math, places */

struct topo_gpu {
    char name[64];   /* "NVIDIA H100 80GB HBM3" */
    char bus_id[16]; /* "0000:1b:00.0" */
    int node, local; /* its node, and its number within the node */
    int pageable;    /* shares its CPU's page tables, over NVLink-C2C */
    int numa;        /* the host memory that it is attached to, within its
                        node */
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

struct topo_path { /* a path between two places */
    uint64_t latency_ps;
    double rate_cap; /* bytes/s of a single transfer; 0: no limit */
    double share;    /* share of the links' rates that can be achieved */
    int nresources;
    int resource[TOPO_MAX_PATH]; /* each listed once; twice for a memory in
                                    which bytes are both read and written */
    char kind[8]; /* as nvidia-smi topo -m: "NV4", "PIX", "SYS"; "X", "NET" */
};

enum topo_algo { /* TOPO_P2P: point-to-point messages, which are not an
                    algorithm of NCCL's */
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

enum {                /* sets of algorithms or protocols */
       TOPO_ANY = -1, /* all of them */
       TOPO_ANY_NVLS = 1 << TOPO_NVLS | 1 << TOPO_NVLSTREE
};

struct topo_load { /* how an operation uses one resource */
    int resource;
    double work; /* bytes */
};

/* The cost of a collective. Release it with topo_coll_release(). */
struct topo_coll {
    enum topo_algo algo;
    enum topo_proto proto;
    uint64_t latency_ps; /* the part that doesn't depend on bandwidth */
    uint64_t time_ps;    /* alone on the machine: latency + work */
    uint64_t host_ps;    /* the part of time_ps that hosts add by passing
                            chunks on */
    int nloads;          /* for each load, work / rate <= time - latency */
    struct topo_load *loads;
};

struct topo;

/*
 * Load a machine: a shipped name ("dgx-h100", see topo_list()) or the path of
 * an XML file (any name that contains '/' or ends in .xml). "4x:dgx-a100" is
 * that machine with 4 nodes; "shuffled:SEED:NAME" numbers its GPUs in another
 * order; "sick:SEED:NAME" degrades one of its cables. variant.h defines how
 * these combine; topo_name() returns the name with the seed "me" replaced. On
 * failure returns NULL, with "file:line: reason" in err. Shipped machines are
 * in SIMGPU_TOPO_DIR if it is set, else in simgpu's prefix, relative to the
 * file that this code was loaded from.
 */
struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes);

/*
 * Load a machine with additional elements of a <calibration>, which override
 * the file's. Attributes are name, value, ..., NULL. For fitting.
 */
struct topo_setting {
    const char *element;
    const char *const *atts;
};
struct topo *topo_load_with(const char *name_or_file,
                            const struct topo_setting *settings, int n,
                            char *err, size_t err_nbytes);

/*
 * The seed that "me" stands for in "shuffled:me:NAME": COMMLAB_STUDENT if it is
 * set, else the login name, with '-' for characters that a seed must not
 * contain. Returns out.
 */
enum { TOPO_ME = 64 };
const char *topo_me(char out[TOPO_ME]);

void topo_free(struct topo *t);
const char *topo_name(const struct topo *t);

/* Write the names of the shipped machines, "a100-cubemesh, dgx-1v", to out. */
void topo_list(char *out, size_t nbytes);

int topo_ngpus(const struct topo *t);
int topo_nnodes(const struct topo *t);
const struct topo_gpu *topo_gpu(const struct topo *t, int gpu);
int topo_nresources(const struct topo *t);
const struct topo_resource *topo_resource(const struct topo *t, int resource);

/* True if these GPUs can map each other's memory (cudaDeviceCanAccessPeer). */
int topo_p2p(const struct topo *t, int from_gpu, int to_gpu);

/* True if the switch between these GPUs multicasts to them and reduces what it
 * reads from them, and NCCL uses that (NVLS). */
int topo_multicast(const struct topo *t, int gpu_a, int gpu_b);

/*
 * How bytes move: by copies staged through the host, by copies through peer
 * access, by the loads and stores of a kernel, or by NICs even inside a node,
 * if the node has any.
 */
enum topo_way { TOPO_STAGED, TOPO_DIRECT, TOPO_LOADS, TOPO_NETWORK };

/*
 * The path between two places (from == to: within one memory, where reads and
 * writes both count). Without peer access, a copy between GPUs of one node is
 * staged through the host. Between nodes, the path goes through the nearest
 * NICs. A kernel's loads and stores use no copy engine, but achieve a smaller
 * share of NVLinks, or, to or from the switch (TOPO_SWITCH_PLACE), the share
 * that NVLS does. Returns 0, or -1 if a place is unknown or there is no
 * network.
 */
int topo_path(const struct topo *t, int32_t from, int32_t to, int way,
              struct topo_path *out);

/* The resource for a GPU's compute with this arithmetic (flops/s), or for a
 * place's memory (bytes/s); -1 if there is none. A GPU without fp8 units has
 * none for fp8. */
int topo_compute(const struct topo *t, int gpu, enum topo_math math);
int topo_memory(const struct topo *t, int32_t place);

/* The place of the memory at NUMA node `numa` of a GPU's host. Returns 0, or -1
 * if that host has no such node. */
int topo_numa_place(const struct topo *t, int gpu, int numa, int32_t *place);

/*
 * The cost of the collective `op` over n places (rank i is on place[i]), with
 * the number of bytes as defined by nccl-tests. NCCL may choose from the sets
 * algos and protos: bits 1 << TOPO_RING..., or TOPO_ANY (see topo_algo_set()).
 * Returns 0, or -1 with a line in err: none of the allowed algorithms can do
 * op, a place is not a GPU, or two ranks are on one GPU.
 *
 * The choice of collectives is NCCL's own, as topo_nccl() has it; between nodes
 * the site's tuner may limit it. Its time is a calibrated model's (cell.h,
 * choice.h).
 */
int topo_collective(const struct topo *t, enum topo_op op, const int32_t *place,
                    int n, uint64_t bytes, int algos, int protos,
                    struct topo_coll *out, char *err, size_t err_nbytes);

/*
 * What NCCL 2.28.9 itself decides on: the channels that its search finds, and
 * the algorithm and protocol that its tuner then takes.
 */
struct topo_channel { /* n channels of a kind, and the GB/s of each */
    int n;
    double GBps, net_GBps; /* in the node, and between nodes if there are any */
};
struct topo_nccl {
    enum topo_algo algo;
    enum topo_proto proto;
    int channels; /* the communicator's: rings are doubled */
    struct topo_channel ring, tree, nvls;
};

/*
 * NCCL's decisions about an operation, with the arguments of topo_collective().
 * op must not consist of messages. Returns 0, or -1 with a line in err, also if
 * NCCL would use no pair of the sets.
 */
int topo_nccl(const struct topo *t, enum topo_op op, const int32_t *place,
              int n, uint64_t bytes, int algos, int protos,
              struct topo_nccl *out, char *err, size_t err_nbytes);

/*
 * Apply NCCL's environment variables (an environment, "NAME=VALUE", ending with
 * NULL) to this machine's choices, paths and times: P2P_DISABLE, P2P_LEVEL,
 * SHM_DISABLE, IB_DISABLE, NET_GDR_LEVEL, NVLS_ENABLE, MIN/MAX_NCHANNELS,
 * MIN/MAX_CTAS. Call it once, before any query of t. say (may be NULL) gets a
 * line for each other variable of NCCL, which has no effect, for a name that
 * NCCL doesn't know, and for a value that NCCL would not accept. If t is NULL,
 * only say is called.
 */
typedef void topo_remark(void *user, const char *line);
void topo_settings(struct topo *t, char *const *env, topo_remark *say,
                   void *user);

/*
 * Call say with a line for each thing that a machine's file says and that costs
 * time: links of one lane, NVLinks that lead to their own GPU or are missing at
 * one of several GPUs, GPUs too far from their NIC for GPUDirect. The model
 * follows the file all the same, as NCCL does.
 */
void topo_warnings(const struct topo *t, topo_remark *say, void *user);

/*
 * The number of ring channels that NCCL would use for a communicator (rank i is
 * on place[i]), 0 if it can't use any; and the ranks of one channel in ring
 * order, into rank[n].
 */
int topo_channels(const struct topo *t, const int32_t *place, int n);
void topo_ring(const struct topo *t, const int32_t *place, int n, int channel,
               int *rank);

/* The cost of one NCCL send and its receive, in a communicator of these two;
 * otherwise like topo_collective(). */
int topo_message(const struct topo *t, int32_t from, int32_t to, uint64_t bytes,
                 struct topo_coll *out, char *err, size_t err_nbytes);
void topo_coll_release(struct topo_coll *c);

/*
 * A communicator whose configuration fixes its number of CTAs. Each carries one
 * channel. topo_fix_ctas() raises the time of an operation, from
 * topo_collective() or (with TOPO_OP_SENDRECV and two places) topo_message(),
 * to what so few channels need: a channel carries at most the architecture's
 * rate, where that is known; else bandwidth falls in proportion to NCCL's own
 * number of channels. More CTAs than NCCL needs are no faster.
 * topo_ctas_compute() is the share of a GPU's compute that they take while an
 * operation runs, one multiprocessor each. ctas 0 stands for NCCL's own number,
 * which takes the machine's sm_share and changes no time.
 */
void topo_fix_ctas(const struct topo *t, enum topo_op op, const int32_t *place,
                   int n, uint64_t bytes, int ctas, struct topo_coll *c);
double topo_ctas_compute(const struct topo *t, int gpu, int ctas);

/*
 * Parse a list of algorithms or protocols to a set: "RING,TREE", in upper or
 * lower case; a leading '^' means all others. NULL and "" give TOPO_ANY; an
 * unknown name gives 0.
 */
int topo_algo_set(const char *words);
int topo_proto_set(const char *words);

/* For each operation, the algorithms or protocols that NCCL may choose from. A
 * set of 0 stands for TOPO_ANY. */
struct topo_sets {
    int of[TOPO_OPS];
};

/*
 * Parse NCCL_ALGO or NCCL_PROTO as NCCL does since 2.24: a list for all
 * collectives, for one of them, or both: "ring,tree;allreduce:^tree".
 * Only the first entry may lack a prefix, and a later entry overrides an
 * earlier one. NULL and "" allow everything. Returns 0, or -1 with NCCL's
 * message, and the names that are known, in err.
 */
int topo_algo_sets(const char *words, struct topo_sets *out, char *err,
                   size_t err_nbytes);
int topo_proto_sets(const char *words, struct topo_sets *out, char *err,
                    size_t err_nbytes);
const char *topo_algo_name(enum topo_algo a);
const char *topo_proto_name(enum topo_proto p);

/* Fixed costs of host and device on this machine (see calibration.h). */
struct topo_costs {
    uint64_t launch_host_ps; /* host: enqueue anything */
    uint64_t kernel_ps;      /* device: start of an empty kernel */
    uint64_t copy_ps;        /* device: start of a copy, without its
                                path's latency */
    uint64_t sync_host_ps;   /* host: return from a synchronisation */
    uint64_t api_host_ps;    /* host: any other call */
    uint64_t map_host_ps;    /* host: map memory of another process */
    uint64_t unmap_host_ps;  /* host: unmap it */
    uint64_t mpi_ps;         /* MPI message or barrier step inside a node */
    uint64_t mpi_net_ps;     /* the same between nodes */
    double mpi_rate;         /* bytes/s of an MPI message */
    double nccl_sm_share;    /* share of compute that a collective takes */
};
const struct topo_costs *topo_costs(const struct topo *t);

/*
 * The matrix of nvidia-smi topo -m. The ends of a node's links are its GPUs,
 * followed by its NICs.
 */
int topo_nnics(const struct topo *t); /* per node */
const char *topo_nic_name(const struct topo *t, int nic);
/* Write "NV4", "PIX", "PXB", "PHB", "SYS" or "X", for the link between
 * two ends, to out. */
const char *topo_link(const struct topo *t, int end_a, int end_b, char out[8]);
/* Write the cores near a GPU, as "0-3,8", from its CPU's affinity mask to
 * out. */
const char *topo_cores(const struct topo *t, int gpu, char *out, size_t nbytes);

#endif
