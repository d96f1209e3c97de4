/*
 * world.h: the PEs, their teams and the symmetric heap
 *
 * PEs find each other through MPI, which the program or nvshmem_init() starts.
 * Host calls that all PEs of a team make exchange what they need there; all
 * else goes through device memory.
 */
#ifndef SIMGPU_NVSHMEM_WORLD_H
#define SIMGPU_NVSHMEM_WORLD_H

#include <mpi.h>

#include "nvshmem/request.h"

struct team {
    int n, me;      /* n 0: there is none */
    int *pe;        /* its PEs' numbers in the world */
    MPI_Comm comm;  /* of its PEs */
    char **words;   /* each PE's flags and posts, as this PE maps them */
    uint64_t epoch; /* collectives so far */
    nvshmem_team_config_t config;
};

struct symmetric { /* an allocation; base NULL: it never was */
    char *base;    /* this PE's part */
    size_t nbytes;
    int is_freed;
    char **part;      /* of each PE, as this one maps it */
    char **multicast; /* by team; NULL: no team has asked */
};

enum { MAX_TEAMS = 128 };

/* The calling process as a PE. */
struct world {
    int status; /* nvshmemx_init_status_t */
    int device; /* -1: not chosen yet */
    int starts_mpi;
    int32_t *place;      /* of each PE's GPU on the machine */
    cudaStream_t stream; /* of host calls */
    struct team team[MAX_TEAMS];
};
struct world *world(void);

/* The world, for a call that needs it to be there. */
struct world *world_for(const struct request *r);
/* The same with its device chosen, which all PEs do together. */
struct world *world_bind(const struct request *r);

/* The team that a call names; a fault if there is none. */
struct team *team_for(const struct request *r, nvshmem_team_t team);

/* The predefined teams of a communicator of all PEs; and their end. */
void team_begin(MPI_Comm comm);
void team_end(void);
/* Flags for the teams that have none, called by all PEs of each. */
void team_add_words(const struct request *r, struct team *t);

/*
 * Where [p, p + nbytes) of this PE is on PE pe. A fault if pe is none, or the
 * bytes are not symmetric: `what` is the argument that they are.
 */
char *heap_of_pe(const struct request *r, const void *p, size_t nbytes, int pe,
                 const char *what);

/* Each PE's address of the memory at `mine`, as this PE maps it. All PEs of the
 * team call. */
char **heap_exchange(const struct request *r, const struct team *t, void *mine);
void heap_forget(const struct team *t, char **part);
void heap_end_team(nvshmem_team_t team); /* its multicast addresses end */
void heap_end(void); /* free what the program has not freed */

/* True if loads and stores of this PE reach the memory of pe. */
int world_reaches(int pe);

/* A call of MPI, or of the runtime, in the program's name. */
#define FOR(R, CALL)                                                           \
    do {                                                                       \
        request_calls(R);                                                      \
        (void)(CALL);                                                          \
        request_called();                                                      \
    } while (0)
/* The same of a call that gives a cudaError_t: a fault if it fails. */
#define MUST(R, CALL)                                                          \
    do {                                                                       \
        request_calls(R);                                                      \
        const cudaError_t must = (CALL);                                       \
        request_called();                                                      \
        if (must != cudaSuccess)                                               \
            request_fault(R, "%s: %s", #CALL, cudaGetErrorString(must));       \
    } while (0)

#endif
