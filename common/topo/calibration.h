/*
 * calibration.h: speeds of a machine's parts
 *
 * Values come from the file's <calibration>. Defaults for the rest follow from
 * the GPUs' architecture. FORMAT.md lists the attributes.
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
    double fill_MiB;     /* S_f: the size at which half of f is spent */
    double ranks, nodes; /* of the measurement; ranks 0: not given */
};

enum calibration_op { CALIBRATION_ALLREDUCE, CALIBRATION_SENDRECV };

enum calibration_fabric_kind {
    CALIBRATION_CROSSBAR, /* no two flows collide */
    CALIBRATION_FAT_TREE, /* all NICs of a node lead to one leaf */
    CALIBRATION_RAIL      /* the NICs of equal number of many nodes do */
};

/* All are -1 until given. */
struct calibration {
    struct calibration_device { /* one GPU */
        char name[64];
        double nsm, clock_khz, mem_clock_khz, mem_bus_bits, mem_GiB, l2_MiB;
        double TFLOPs[TOPO_MATHS], flops_eff; /* dense; share achieved */
        double hbm_GBps, hbm_eff;
    } device;
    struct calibration_links {
        double nvlink_GBps; /* one NVLink, one way, achieved by copies */
        double engine_GBps; /* copies of one GPU, both directions together */
        double load_share;  /* of copies' NVLink rate, by a kernel's loads */
        double pcie_eff;    /* share of nominal PCIe bandwidth */
        double c2c_eff;     /* and of NVLink-C2C's between GPU and CPU */
        double p2p_GBps;    /* peer copy over PCIe; 0: no peer access */
        double p2p_socket_GBps; /* and across sockets */
        double staged_GBps;     /* copy between GPUs through the host */
        double staged_socket_GBps;
        double socket_GBps; /* between two CPUs, one way */
        double host_GBps;   /* a node's host memory, read + write */
        double numa_GBps;   /* the part of it that is attached to one CPU */
        double far_share;   /* of a GPU's path to host memory that remains if
                               the memory is attached to another CPU */
        double net_eff;     /* share of a NIC's nominal bandwidth */
        double p2p_us, staged_us, host_us, net_us;
        double nccl_p2p; /* enum machine_reach */
    } links;
    struct calibration_host {
        double launch_ns, kernel_ns, copy_ns, sync_ns, api_ns;
        double map_us, unmap_us; /* memory of another process */
        double mpi_ns, mpi_net_ns, mpi_GBps, sm_share;
        double floor_us; /* no collective takes less; 0: no such floor */
    } host;
    struct calibration_choice { /* of NCCL's tuner between nodes; 0: all */
        int algos, protos;      /* sets, as in NCCL_ALGO and NCCL_PROTO */
        double chunk_KiB;       /* of Simple, at any size; 0: grows with it */
        double buffer_MiB;      /* NCCL_BUFFSIZE */
    } choice;
    struct calibration_fabric { /* switches between nodes: fabric.h */
        double kind;            /* enum calibration_fabric_kind */
        double ports;           /* of a leaf switch, towards NICs */
        double over;            /* oversubscription: of ports to uplinks */
        double paths;           /* over which a flow is spread */
        double gpu_Gbps;        /* NICs of a GPU; 0: as in the node's file */
    } fabric;
    /* by enum calibration_op; 0 inside a node, 1 across */
    struct calibration_curve curve[2][2];
};

/* A GPU of an architecture, and NCCL's assumptions about it. */
struct calibration_arch {
    int sm;
    struct calibration_device device;
    double nvlink_GBps; /* achieved by copies */
    double engine_GBps; /* both directions together */
    double nccl_link;   /* GB/s of one NVLink in NCCL's model */
    int column;         /* of NCCL's caps: Volta, Ampere, Hopper, Blackwell */
    int datacenter;     /* peer access over PCIe */
    double latency;     /* of a hop, in NCCL's constants (an H100's) */
    /* shares of an NVLink's nvlink_GBps that NCCL's kernels achieve: rings and
     * trees; NVLS; messages */
    double ring, nvls, message;
    double ll128; /* share of Simple's bandwidth left by LL128 */
};

/* What the model of NCCL's times takes from measurements of all machines. */
struct calibration_fit {
    double fill;        /* latencies until a pipeline is full at most */
    double ramp;        /* towards that: tuning.h */
    double nvls_GBps;   /* of an NVLS channel, between buffers */
    double nvls_chunks; /* of an NVLS loop, under way before it is full */
    double message_us;  /* of a host, for a chunk that it sends or receives */
    double one_thread;  /* share of LL's and LL128's bandwidth in a node left
                           where one thread drives its GPUs */
};
extern const struct calibration_fit calibration_fit;

/* The newest architecture up to sm. */
const struct calibration_arch *calibration_arch(int sm);

/* A kind by its name in <fabric kind>, -1 if there is none. */
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
 * and a floor of all collectives. Returns 0 if there is none.
 */
struct calibration_parameter {
    const char *element, *key;
    double lo, hi;
};
int calibration_parameter(int i, struct calibration_parameter *out);
double calibration_get(const struct calibration *c,
                       const struct calibration_parameter *p);

/* Write the elements of a complete calibration, without <device>, which the
 * machine's own file has. */
void calibration_write(const struct calibration *c, FILE *f);

/*
 * Fill in the defaults. pcie_GBps: achieved by a GPU's PCIe link; cross_p2p:
 * whether its CPUs forward peer accesses between sockets; ncpus: of a host.
 */
void calibration_complete(struct calibration *c,
                          const struct calibration_arch *arch, double pcie_GBps,
                          int cross_p2p, int ncpus);

#endif
