/*
 * world.h: the PEs, their teams and the symmetric heap
 *
 * PEs find each other through MPI, which the program or nvshmem_init() starts.
 * Host calls that all PEs of a team make exchange data through MPI; everything
 * else goes through device memory.
 */
#ifndef SIMGPU_NVSHMEM_WORLD_H
#define SIMGPU_NVSHMEM_WORLD_H

#include <mpi.h>

#include "extras/nvshmem/request.h"

struct team {
    int n, me;      /* n 0: unused entry */
    int *pe;        /* its PEs' numbers in the world */
    MPI_Comm comm;  /* communicator of its PEs */
    char **words;   /* each PE's words and posts, mapped by this PE */
    uint64_t epoch; /* number of collectives so far */
    nvshmem_team_config_t config;
};

struct symmetric { /* an allocation; base NULL: unused entry */
    char *base;    /* this PE's part */
    size_t nbytes;
    int is_freed;
    char **part;      /* each PE's part, mapped by this PE */
    char **multicast; /* by team; NULL: never requested */
};

enum { MAX_TEAMS = 128 };

/* This process as a PE. */
struct world {
    int status; /* nvshmemx_init_status_t */
    int device; /* -1: not chosen yet */
    int starts_mpi;
    int32_t *place;      /* each PE's GPU, as a place on the machine */
    cudaStream_t stream; /* for host calls */
    struct team team[MAX_TEAMS];
};
struct world *world(void);

/* The world, for a call that requires it to be initialised. */
struct world *world_for(const struct shmem_request *r);
/* The same, after all PEs have together chosen a device. */
struct world *world_bind(const struct shmem_request *r);

/* The team that a call names; ends the run if there is none. */
struct team *team_for(const struct shmem_request *r, nvshmem_team_t team);

/* Create the predefined teams, from a communicator of all PEs; and end them. */
void team_begin(MPI_Comm comm);
void team_end(void);
/* Allocate words for teams that have none. All PEs of
 * each team must call it. */
void team_add_words(const struct shmem_request *r, struct team *t);

/*
 * The address of [p, p + nbytes), memory of this PE, on PE pe. Ends the run if
 * pe doesn't exist, or if the bytes are not symmetric; on this PE they may be
 * any memory of its device. `what` names the argument.
 */
char *heap_of_pe(const struct shmem_request *r, const void *p, size_t nbytes,
                 int pe, const char *what);

/* Each PE's memory at its `mine`, at the address where this PE maps it. All PEs
 * of the team must call it. */
char **heap_exchange(const struct shmem_request *r, const struct team *t,
                     void *mine);
void heap_forget(const struct team *t, char **part);
void heap_end_team(nvshmem_team_t team); /* ends its multicast addresses */
void heap_end(void); /* frees what the program has not freed */

/* Call MPI, or the runtime, on behalf of the program's call. */
#define FOR(R, CALL)                                                           \
    do {                                                                       \
        request_calls(R);                                                      \
        (void)(CALL);                                                          \
        request_called();                                                      \
    } while (0)
/* The same for a function that returns a cudaError_t;
 * ends the run if it fails. */
#define MUST(R, CALL)                                                          \
    do {                                                                       \
        request_calls(R);                                                      \
        const cudaError_t must = (CALL);                                       \
        request_called();                                                      \
        if (must != cudaSuccess)                                               \
            request_fault(R, "%s: %s", #CALL, cudaGetErrorString(must));       \
    } while (0)

#endif
