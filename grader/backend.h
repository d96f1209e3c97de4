/*
 * backend.h: what a submission is compiled for, and where it runs
 *
 * sim   simgpu, on the machine that a case names: any number of GPUs, modelled
 *       times, an execution graph that is evidence
 * cuda  this machine's GPUs: as many as there are, measured times, no graph
 *
 * simgpu can also be taken as if it were a machine of its own (--measured): the
 * one that SIMGPU_TOPO names, judged by what ranks show. So what is done on
 * GPUs can be tried, and tested, without one.
 */
#ifndef GRADER_BACKEND_H
#define GRADER_BACKEND_H

#include <jansson.h>
#include <limits.h> /* PATH_MAX */

enum { BACKEND_TOOLCHAIN = 4096 };

struct backend {
    const char *name; /* objects, archives and toolchain are in build/NAME */
};

struct machine { /* what runs it; of cuda, or of simgpu when it is measured */
    const struct backend *backend;
    /* How to compile and link for it: shell text that sets cc, cxx, cu,
     * headers, archives, objects and libs, written by make. $COMMON in it is
     * the kit's common/, $GPU is where the library's headers and files are. */
    char toolchain[BACKEND_TOOLCHAIN];
    int measured;
    char home[PATH_MAX]; /* $GPU out here: simgpu's prefix, or CUDA's */
    char seen[PATH_MAX]; /* and in the sandbox */
    int ngpus;           /* measured: how many there are */
    json_t *gpus;        /* what build/probe says of them; NULL when modelled */
};

/* NULL if there is none of that name. */
const struct backend *backend_find(const char *name);

/*
 * Find the backend `name` (NULL: the one that the kit was built for) in the
 * kit's build folder. 0, or -1 with what is wrong in err.
 */
int machine_find(struct machine *m, const char *build, const char *name,
                 int measured, char *err, size_t err_nbytes);

/* What the toolchain sets a variable to; "" if it does not. */
void machine_toolchain(const struct machine *m, const char *variable,
                       char value[BACKEND_TOOLCHAIN]);

/* Ask what GPUs there are. 0, or -1 with err. */
int machine_probe(struct machine *m, const char *build, char *err,
                  size_t err_nbytes);

/* What the GPUs' clocks, temperatures and reasons for slowing down are now, a
 * line of nvidia-smi for each; NULL if it can't be told. The caller's
 * reference. */
json_t *machine_clocks(const struct machine *m);

/* Wait until nobody else measures on this machine; machine_unlock() what it
 * returns. */
int machine_lock(const struct machine *m);
void machine_unlock(int lock);

/* Does a host's clock run beside the GPUs'? Not beside modelled time. */
int machine_is_real(const struct machine *m);

#endif
