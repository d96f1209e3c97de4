/*
 * nccltests.h: tables of measured times, as printed by nccl-tests
 *
 * Reads the standard output of all_reduce_perf and its siblings from version
 * 2.0 on: several tables one after the other, with a launcher's prefixes
 * ("[1,0]<stdout>:", "0: "), with and without a column for the root, with N/A,
 * between NCCL's log lines. Also reads CSV with the columns bytes and us.
 *
 * The time of a row is that of the out-of-place run, or, if that is N/A, of the
 * in-place run. Rows with wrong results are kept and marked.
 *
 * A table's operation is taken from the output, else from the file's name
 * (MACHINE.RANKS.OPERATION.SOURCE.csv, as in tests/topo/measured), else from
 * the ratio of bus to algorithm bandwidth. Its ranks are taken from the list of
 * devices, else from the name, else from that ratio.
 */
#ifndef COMMLAB_TOPO_FIT_NCCLTESTS_H
#define COMMLAB_TOPO_FIT_NCCLTESTS_H

#include <stdio.h>

#include "topo/op.h"

struct nccltests_row {
    uint64_t nbytes;
    double us;
    int wrong; /* 1: nccl-tests found wrong results */
    int line;  /* line number in the file */
};

struct nccltests_rank {
    int host, device; /* hosts are numbered in order of appearance */
};

struct nccltests_table {
    char file[256];
    enum topo_op op;             /* TOPO_OP_NONE: unknown */
    int nranks;                  /* 0: unknown */
    int nhosts;                  /* 0: unknown */
    struct nccltests_rank *rank; /* NULL: unknown */
    struct nccltests_row *row;
    int nrows;
    int ngroups;     /* groups of ranks, each with its own communicator */
    double bus;      /* ratio of bus to algorithm bandwidth; 0: unknown */
    int named_ranks; /* ranks in the file's name; 0: none */
    int one_thread;  /* one thread drove several GPUs (-g): variant.h */
};

struct nccltests {
    struct nccltests_table *table;
    int n;
};

/*
 * Append the tables of f, whose name appears in messages. Tables without rows
 * are left out. Returns 0, or -1 with a line in err: the file has no rows, or
 * has one that looks like a row but can't be read.
 */
int nccltests_read(struct nccltests *all, FILE *f, const char *file, char *err,
                   size_t err_nbytes);
void nccltests_release(struct nccltests *all);

/* nccl-tests' name of an operation ("all_reduce"), or NULL; the operation with
 * a name; and all names, separated by spaces. */
const char *nccltests_op_name(enum topo_op op);
enum topo_op nccltests_op(const char *name, size_t length);
extern const char nccltests_ops[];

/*
 * True if a size of at least 1 MiB takes clearly longer than the next larger
 * size in the table. No choice of NCCL's explains that, since sending more
 * bytes would have been faster: the run was disturbed. Below 1 MiB, times are
 * too noisy to tell.
 */
int nccltests_is_sick(const struct nccltests_row *row,
                      const struct nccltests_row *next);

/* The ratio of bus bandwidth to algorithm bandwidth. */
double nccltests_bus(enum topo_op op, int nranks);

#endif
