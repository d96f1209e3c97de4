/*
 * topo.h: the machine that a run is modelled on
 *
 * A machine is one or more nodes of GPUs, host memories, links and networks,
 * read from NCCL's topology XML (what NCCL_TOPO_DUMP_FILE writes), with an
 * element <calibration> of ours that says what operations cost on it.
 */
#ifndef COMMLAB_TOPO_TOPO_H
#define COMMLAB_TOPO_TOPO_H

#include <stddef.h>
#include <stdint.h>

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

struct topo;

/*
 * Load a machine: a shipped name ("dgx-h100", those in common/topo) or the path of
 * an XML file (anything with a '/' or ending in .xml). On failure NULL, and
 * "file:line: what" in err.
 */
struct topo *topo_load(const char *name_or_file, char *err, size_t err_nbytes);
void topo_free(struct topo *t);
const char *topo_name(const struct topo *t);

int topo_ngpus(const struct topo *t);
int topo_nnodes(const struct topo *t);
const struct topo_gpu *topo_gpu(const struct topo *t, int gpu);

/* May these GPUs map each other's memory (cudaDeviceCanAccessPeer)? */
int topo_p2p(const struct topo *t, int from_gpu, int to_gpu);

/* Fixed host and device costs of this machine (see calibration). */
struct topo_costs {
    uint64_t launch_host_ps; /* host time to enqueue anything */
    uint64_t kernel_ps;      /* device: start of an empty kernel */
    uint64_t copy_ps;        /* device: start of a copy */
    uint64_t sync_host_ps;   /* host: return from a synchronisation */
    uint64_t api_host_ps;    /* host: any other call */
    uint64_t mpi_ps;         /* MPI message or barrier step inside a node */
    uint64_t mpi_net_ps;     /* and across nodes */
};
const struct topo_costs *topo_costs(const struct topo *t);

#endif
