/*
 * fit.h: the calibration of a machine from tables of measured times
 *
 * Four ways are tried: the machine as it is; other speeds of its links
 * (calibration_parameter(): those that change any of the times); and curves, of
 * either shape (calibration.h), for each kind of operation that was measured,
 * inside a node and between nodes. The way that best predicts what it wasn't
 * fitted to wins. Each file is left out in turn and predicted from the others;
 * if no other file has its kind (inside a node or between nodes, collectives or
 * messages), every second row is predicted from the rest. The winner is then
 * fitted to everything.
 *
 * Rows with wrong results don't count, and a row far off all others hardly
 * counts (leastsq.h). The same tables give the same digits.
 */
#ifndef COMMLAB_TOPO_FIT_FIT_H
#define COMMLAB_TOPO_FIT_FIT_H

#include <stddef.h> /* offsetof */
#include <stdio.h>

#include "topo/fit/nccltests.h"
#include "topo/topo.h"

enum fit_way { FIT_AS_IS, FIT_LINKS, FIT_ROOT, FIT_FILL, FIT_WAYS };
extern const char *const fit_way_names[FIT_WAYS];

struct fit_row {
    int table, line;
    uint64_t nbytes;
    double us;                         /* measured */
    double before, fitted;             /* modelled: before the fit, and after a
                                          fit to all */
    double without_rows, without_file; /* predicted by a fit to every second
                                          row, and to the other files */
    int wrong;                         /* 1: wrong results, so not used */
};

struct fit_table {
    const char *file;
    int fold; /* tables of one file are left out together */
    enum topo_op op;
    int32_t *place; /* place[i] is that of rank i */
    int n, nnodes;
};

enum { FIT_CURVES = 4, FIT_VALUES = 40 };

struct fit_value { /* a value of an attribute of the calibration */
    char element[16], key[20];
    int curve; /* index of its curve; -1: not of a <curve> */
    double before, after;
};

struct fit {
    const char *machine;
    struct topo *topo; /* the machine as it is */
    struct fit_table *table;
    struct fit_row *row;
    int ntables, nrows;
    /* results */
    enum fit_way way;
    double held[FIT_WAYS]; /* mean |log error| of each way */
    struct fit_value value[FIT_VALUES];
    int nvalues;
    struct fit_curve {
        int message, nodes, ranks; /* reference of the curve; ranks 0: none */
        int nvls;                  /* some of its rows take NVLS or NVLSTree */
        int rings; /* none does, though an all-reduce would: it holds for
                      rings alone */
    } curve[FIT_CURVES];
};

/*
 * Set up a fit to tables with known operations and ranks. `machine` must have
 * enough nodes (fit_machine()). Returns 0, or -1 with a line in err.
 */
int fit_init(struct fit *f, const char *machine, const struct nccltests *tables,
             char *err, size_t err_nbytes);
int fit_run(struct fit *f, char *err, size_t err_nbytes);
void fit_release(struct fit *f);

/*
 * Write the name of `machine` with enough nodes for the tables. Ranks on
 * different hosts are on different nodes, unless a node is a rack (more than 16
 * GPUs) and the hosts are its trays. If one thread drove all GPUs of a node,
 * the name says so. Returns 0, or -1 with a line in err.
 */
int fit_machine(const char *machine, const struct nccltests *tables, char *out,
                size_t nbytes, char *err, size_t err_nbytes);

/* Write where the ranks of a table were to place[nranks]. Returns the number of
 * nodes, or -1 if the machine is too small. */
int fit_place(const struct topo *t, const struct nccltests_table *table,
              int32_t *place);

/* The fitted values as settings for topo_load_with(), which point into s. */
enum { FIT_ELEMENTS = FIT_CURVES + 2 };
struct fit_settings {
    struct topo_setting at[FIT_ELEMENTS];
    int n;
    const char *element[FIT_ELEMENTS];
    const char *atts[FIT_ELEMENTS][2 * FIT_VALUES + 8];
    int natts[FIT_ELEMENTS];
    char text[FIT_VALUES + 2 * FIT_CURVES][32];
    int ntexts;
};
void fit_settings(const struct fit *f, const struct fit_value *value, int n,
                  struct fit_settings *s);

/*
 * Mean |log error| of the rows of a table (-1: of all tables) from min_bytes
 * on, with the times at this offset in struct fit_row; -1 if there are no such
 * rows.
 */
double fit_error(const struct fit *f, int table, uint64_t min_bytes,
                 size_t offset);

/* True for a row far off the fit, compared with the other rows. */
int fit_is_odd(const struct fit *f, int row);

/*
 * Write a file of the machine's node with the fitted calibration: NCCL's
 * elements as in its own file, and a <calibration> with all that the model
 * needs. Returns 0, or -1 with a line in err.
 */
int fit_write(const struct fit *f, FILE *out, char *err, size_t err_nbytes);

#endif
