/*
 * backend.h: where a submission runs, and what it is compiled for
 *
 * sim   simgpu, on the machine that a case names: any number of GPUs, modelled
 *       times, and an execution graph as evidence
 * cuda  this machine's GPUs: a fixed number, measured times, no graph
 *
 * simgpu can also be treated as a machine that is measured (--measured): the
 * one that SIMGPU_TOPO names, judged by what ranks report. So the code for real
 * GPUs can be tried and tested without any.
 */
#ifndef GRADER_BACKEND_H
#define GRADER_BACKEND_H

#include <jansson.h>
#include <limits.h> /* PATH_MAX */

enum { BACKEND_TOOLCHAIN = 4096 };

struct backend {
    const char *name; /* names build/NAME with objects, archives and
                         toolchain */
};

struct machine { /* the machine, for cuda, or for simgpu when it is measured */
    const struct backend *backend;
    /*
     * How to compile and link for it: shell text, written by make, that sets
     * cc, cxx, cu, headers, archives, objects and libs. $COMMON in it is the
     * kit's common/, $GPU the folder with the library's headers and files.
     */
    char toolchain[BACKEND_TOOLCHAIN];
    int measured;
    char home[PATH_MAX]; /* $GPU outside: simgpu's prefix, or CUDA's folder */
    char seen[PATH_MAX]; /* $GPU in the sandbox */
    int ngpus;           /* number of GPUs, if measured */
    json_t *gpus;        /* build/probe's report on them; NULL when modelled */
};

/* The backend with this name; NULL if there is none. */
const struct backend *backend_find(const char *name);

/*
 * Find the backend `name` (NULL: the one that the kit was built for) in the
 * kit's build folder. Returns 0, or -1 with the reason in err.
 */
int machine_find(struct machine *m, const char *build, const char *name,
                 int measured, char *err, size_t err_nbytes);

/* The value that the toolchain gives a variable; "" if it gives none. */
void machine_toolchain(const struct machine *m, const char *variable,
                       char value[BACKEND_TOOLCHAIN]);

/* Find out which GPUs there are. Returns 0, or -1 with err. */
int machine_probe(struct machine *m, const char *build, char *err,
                  size_t err_nbytes);

/*
 * The GPUs' present clocks, temperatures and reasons for slowing down, as a
 * line of nvidia-smi for each; NULL if they are unknown. The caller owns the
 * reference.
 */
json_t *machine_clocks(const struct machine *m);

/* Wait until no other process measures on this machine. Pass the result to
 * machine_unlock(). */
int machine_lock(const struct machine *m);
void machine_unlock(int lock);

/* True if a host's clock may be compared with the GPUs': not with
 * modelled time. */
int machine_is_real(const struct machine *m);

#endif
