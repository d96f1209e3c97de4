/*
 * calibration.h: the speeds of a machine's parts
 *
 * Values come from the file's <calibration>; defaults for the others follow
 * from the GPUs' architecture. FORMAT.md lists the attributes.
 */
#ifndef COMMLAB_TOPO_CALIBRATION_H
#define COMMLAB_TOPO_CALIBRATION_H

#include <stddef.h>
#include <stdio.h>

#include "topo/op.h"

/*
 * Time to communicate S bytes: a + S/B + k sqrt(S) + f S/(S + S_f). The square
 * root models filling pipelines whose chunks grow with the size; the last term
 * models pipelines that are full from some size on. A table is fitted with one
 * of the two.
 */
struct calibration_curve {
    double a_us;
    double B_GBps;
    double k_us;         /* us per sqrt(byte) */
    double fill_us;      /* f */
    double fill_MiB;     /* S_f: the size at which half of f is reached */
    double ranks, nodes; /* how many were measured; ranks 0: unknown */
    int algos;           /* set with the algorithm of its largest sizes; 0:
                            unknown */
};

enum calibration_op { CALIBRATION_ALLREDUCE, CALIBRATION_SENDRECV };

enum calibration_fabric_kind {
    CALIBRATION_CROSSBAR, /* no two flows collide */
    CALIBRATION_FAT_TREE, /* all NICs of a node lead to one leaf */
    CALIBRATION_RAIL      /* NICs of equal number share a leaf, over many
                             nodes */
};

struct calibration_device { /* one GPU */
    char name[64];
    double nsm, clock_khz, mem_clock_khz, mem_bus_bits, mem_GiB, l2_MiB;
    double TFLOPs[TOPO_MATHS], flops_eff; /* dense rates, 0: has no such
                                             units; share of them that is
                                             achieved */
    double hbm_GBps, hbm_eff;
};

/* All values are -1 until given. */
struct calibration {
    struct calibration_device device;
    struct calibration_links {
        double nvlink_GBps;     /* one NVLink, one way, achieved by copies */
        double engine_GBps;     /* copies of one GPU, both directions added */
        double load_share;      /* share of copies' NVLink rate that a kernel's
                                   loads reach */
        double pcie_eff;        /* share of nominal PCIe bandwidth */
        double c2c_eff;         /* the same of NVLink-C2C between GPU and CPU */
        double p2p_GBps;        /* peer copy over PCIe; 0: no peer access */
        double p2p_socket_GBps; /* peer copy across sockets */
        double staged_GBps;     /* copy between GPUs staged through the host */
        double staged_socket_GBps;
        double socket_GBps; /* between two CPUs, one way */
        double host_GBps;   /* a node's host memory, read + write */
        double numa_GBps;   /* the part of that at one CPU */
        double far_share;   /* share of a GPU's path to host memory that remains
                               if the memory is attached to another CPU */
        double net_eff;     /* share of a NIC's nominal bandwidth */
        double staged_net_GBps; /* between a GPU and a NIC at another CPU, by
                                   way of host memory */
        double p2p_us, staged_us, host_us, net_us;
        double load_us;  /* a kernel's loads, stores and flags: p2p_us of
                            copies */
        double nccl_p2p; /* enum reach */
    } links;
    struct calibration_host {
        double launch_ns, kernel_ns, copy_ns, sync_ns, api_ns;
        double map_us, unmap_us; /* mapping and unmapping memory of
                                    another process */
        double mpi_ns, mpi_net_ns, mpi_GBps, sm_share;
        double floor_us; /* time that no collective goes below; 0: no floor */
    } host;
    struct calibration_choice { /* what NCCL's tuner may choose between
                                   nodes; 0: all */
        int algos, protos;      /* sets, as in NCCL_ALGO and NCCL_PROTO; algos:
                                   of all-reduces */
        double ll_KiB;          /* largest all-reduce with LL, which it always
                                   uses up to there; 0: NCCL chooses */
        double chunk_KiB;       /* chunk of Simple at any size; 0: grows
                                   with the size */
        double buffer_MiB;      /* NCCL_BUFFSIZE */
        double plugin_us;       /* latency that the network's plugin tells
                                   NCCL's tuner */
        double nic_ports;       /* ports of a NIC, each a net to NCCL */
    } choice;
    struct calibration_fabric { /* switches between nodes: fabric.h */
        double kind;            /* enum calibration_fabric_kind */
        double ports;           /* ports of a leaf switch towards NICs */
        double over;            /* oversubscription: ratio of ports to
                                   uplinks */
        double paths;           /* paths that a flow is spread over */
        double gpu_Gbps;        /* rate of a GPU's NICs; 0: as in the
                                   node's file */
        double host_Gbps;       /* rate of the only NIC of a host; 0: its NICs
                                   are those in its file */
        double socket_GBps;     /* rate of a flow over NCCL's sockets; 0: NCCL
                                   uses a transport with GPUDirect */
    } fabric;
    /* By enum calibration_op, and by 0 inside a node, 1 across nodes. */
    struct calibration_curve curve[2][2];
};

/* A GPU of an architecture, and NCCL's assumptions about it. */
struct calibration_arch {
    int sm;
    struct calibration_device device;
    double nvlink_GBps; /* achieved by copies */
    double engine_GBps; /* both directions added */
    double nccl_link;   /* GB/s of one NVLink in NCCL's model */
    int column;         /* index in NCCL's caps: Volta, Ampere, Hopper,
                           Blackwell */
    int datacenter;     /* has peer access over PCIe */
    double latency;     /* factor on NCCL's constants for a hop (1: an
                           H100's) */
    double hop_us;      /* more for each hop of a ring or a tree in a node */
    /* Shares of nvlink_GBps that NCCL's kernels achieve: rings and trees;
     * NVLS; messages. */
    double ring, nvls, message;
    double ll128; /* share of Simple's bandwidth that LL128 leaves */
    double copy;  /* steps of a ring that a rank takes to copy its own part */
    double sum;   /* the same of an all-reduce, which adds to that part */
    double channel_GBps; /* rate at which a channel sends to one peer */
    double step_us;      /* least for a ring's step in a node; LL has none */
    double start_us;     /* more before messages over NVLinks in a node */
    double ring_fill_us; /* until a ring of Simple in a node is full; 0: some
                            latencies, as other pipelines */
    double ll_us;        /* more before rings of LL over NVLinks in a node */
};

/* Parameters of the model of NCCL's times, from measurements of all
 * machines. */
struct calibration_fit {
    double fill;        /* latencies until a pipeline is full, at most */
    double ramp;        /* how fast it approaches that: see cell.h */
    double nvls_GBps;   /* rate of an NVLS channel, between buffers */
    double nvls_chunks; /* chunks of an NVLS loop under way before it is full */
    double message_us;  /* a host's time for a chunk that it sends or
                           receives */
    double one_thread;  /* share of LL's and LL128's bandwidth in a node that
                           remains if one thread drives its GPUs */
};
extern const struct calibration_fit calibration_fit;

/* The newest architecture that is not newer than sm. */
const struct calibration_arch *calibration_arch(int sm);

/* The kind with this name in <fabric kind>; -1 if there is none. */
int calibration_fabric_kind(const char *name);

void calibration_init(struct calibration *c);

/*
 * Read the attributes (name, value, name, value, NULL) of an element of a
 * <calibration>. On failure returns -1, with the reason in err.
 */
int calibration_read(struct calibration *c, const char *element,
                     const char *const *atts, char *err, size_t err_nbytes);

/*
 * A parameter of communication that a fit may vary: the i-th number of <links>,
 * or the floor of all collectives. Returns 0 if there is none.
 */
struct calibration_parameter {
    const char *element, *key;
    double lo, hi;
};
int calibration_parameter(int i, struct calibration_parameter *out);
double calibration_get(const struct calibration *c,
                       const struct calibration_parameter *p);

/* Write the elements of a complete calibration, except <device>, which the
 * machine's own file has. */
void calibration_write(const struct calibration *c, FILE *f);

/*
 * Fill in the defaults. pcie_GBps is what a GPU's PCIe link achieves; cross_p2p
 * says whether its CPUs forward peer accesses between sockets; ncpus is the
 * number of CPUs of a host.
 */
void calibration_complete(struct calibration *c,
                          const struct calibration_arch *arch, double pcie_GBps,
                          int cross_p2p, int ncpus);

#endif
