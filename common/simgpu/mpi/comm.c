#include "mpi/comm.h"

#include <pthread.h> /* pthread_mutex_t */
#include <stdlib.h>  /* calloc */

#include "base/map.h"
#include "base/mix.h"
#include "core/proc.h"
#include "core/report.h"

#pragma weak PMPI_Comm_create_keyval
#pragma weak PMPI_Comm_get_attr
#pragma weak PMPI_Comm_set_attr
#pragma weak PMPI_Comm_group
#pragma weak PMPI_Group_translate_ranks
#pragma weak PMPI_Group_free

struct identity { /* an attribute of the communicator */
    uint64_t uid;
    uint64_t collectives; /* this rank's calls of collectives so far */
    uint64_t children;    /* communicators created from this one so far */
    struct map messages;  /* envelope -> messages so far */
};

/* The key of the attribute in this process, and a lock for all identities. */
static int keyval = MPI_KEYVAL_INVALID;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Mix two numbers to a key that is never 0. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    const uint64_t x = mix_nth(a, b);
    return x ? x : 1;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    struct identity *const id = value;
    map_release(&id->messages);
    free(id);
    return MPI_SUCCESS;
}

static struct identity *give(MPI_Comm comm, uint64_t uid)
{
    struct identity *const id =
        simgpu_need(calloc(1, sizeof *id), "a communicator's record");
    id->uid = uid;
    PMPI_Comm_set_attr(comm, keyval, id);
    return id;
}

/* The identity of a communicator, or NULL. The caller must hold the lock. */
static struct identity *find(MPI_Comm comm)
{
    if (keyval == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
    struct identity *id = NULL;
    int found = 0;
    PMPI_Comm_get_attr(comm, keyval, &id, &found);
    if (found)
        return id;
    if (comm == MPI_COMM_WORLD)
        return give(comm, mix(0, 0));
    if (comm == MPI_COMM_SELF)
        return give(comm, mix(1, simgpu_proc()->rank));
    return NULL;
}

uint64_t comm_next_key(MPI_Comm comm)
{
    pthread_mutex_lock(&lock);
    struct identity *const id = find(comm);
    const uint64_t key = id ? mix(id->uid, 2 * id->collectives++) : 0;
    pthread_mutex_unlock(&lock);
    return key;
}

uint64_t comm_message_key(MPI_Comm comm, int source, int dest, int tag,
                          int receiver)
{
    pthread_mutex_lock(&lock);
    struct identity *const id = find(comm);
    uint64_t key = 0;
    if (id) {
        const uint64_t ranks =
            (uint64_t)(uint32_t)source << 32 | (uint32_t)dest;
        const uint64_t envelope = mix(mix(id->uid, ranks), (uint32_t)tag);
        // a rank that sends to itself counts both ends separately
        uint64_t *const count = simgpu_need(
            map_at(&id->messages, mix(envelope, (uint64_t)receiver)),
            "a message's record");
        key = mix(envelope, 2 * (*count)++ + 1);
    }
    pthread_mutex_unlock(&lock);
    return key;
}

/* The rank in MPI_COMM_WORLD of a communicator's rank 0. */
static int first_member(MPI_Comm comm)
{
    MPI_Group world, group;
    const int zero = 0;
    int first = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, 1, &zero, world, &first);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return first;
}

void comm_made(MPI_Comm parent, MPI_Comm made)
{
    pthread_mutex_lock(&lock);
    struct identity *const id = find(parent);
    // counted even if made is MPI_COMM_NULL
    const uint64_t child = id ? id->children++ : 0;
    if (id && made != MPI_COMM_NULL)
        give(made, mix(mix(mix(id->uid, 3), child), first_member(made)));
    pthread_mutex_unlock(&lock);
}
