/*
 * op.h: operations and places
 *
 * The vocabulary of the cost model: topo.h says what an operation costs at a
 * place, and an execution graph records both (graph/record/record.h).
 */
#ifndef COMMLAB_TOPO_OP_H
#define COMMLAB_TOPO_OP_H

#include <stdint.h>

/* Collectives, and a send with its receive. */
enum topo_op {
    TOPO_OP_NONE,
    TOPO_OP_ALLREDUCE,
    TOPO_OP_BROADCAST,
    TOPO_OP_REDUCE,
    TOPO_OP_ALLGATHER,
    TOPO_OP_REDUCESCATTER,
    TOPO_OP_ALLTOALL,
    TOPO_OP_GATHER,
    TOPO_OP_SCATTER,
    TOPO_OP_BARRIER,
    TOPO_OP_SENDRECV,
    TOPO_OPS
};

/* The arithmetic of flops. Saved graphs store these numbers. Every GPU has
 * units for each of them, except that older ones lack fp8. */
enum topo_math {
    TOPO_FP32,
    TOPO_TF32,
    TOPO_FP16,
    TOPO_FP64,
    TOPO_FP8,
    TOPO_MATHS
};

/*
 * A place holds bytes or does work. Places from 0 are devices, numbered across
 * all nodes in the topology's order. The host memory of node n is
 * TOPO_HOST_PLACE(n). It is near each of the node's devices, as memory is that
 * a rank bound to its device's CPU allocates. TOPO_CPU_PLACE(n, c) is the part
 * of it attached to CPU number c of the node, in the order of the machine's
 * file.
 */
enum { TOPO_HOSTS = 1024 }; /* the most nodes */
#define TOPO_HOST_PLACE(node) (-1 - (int32_t)(node))
#define TOPO_CPU_PLACE(node, cpu)                                              \
    (TOPO_HOST_PLACE(node) - TOPO_HOSTS * (1 + (int32_t)(cpu)))

/*
 * The switch between the GPUs of a node, which reads from their memories,
 * reduces, and writes to all (NVLink SHARP). It is one end of a path whose
 * other end is a GPU.
 */
#define TOPO_SWITCH_PLACE INT32_MAX

/* The node of a host place, and its CPU, or -1 if it has no particular one. */
#define TOPO_HOST_NODE(place) ((-1 - (place)) % TOPO_HOSTS)
#define TOPO_HOST_CPU(place)  ((-1 - (place)) / TOPO_HOSTS - 1)

#endif
