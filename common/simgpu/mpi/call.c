#include "mpi/call.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strncmp */

#include "core/called.h"
#include "core/device.h"
#include "core/heap/heap.h"
#include "core/heap/host_extent.h"
#include "core/plant.h"
#include "core/site.h"
#include "core/stream/hostfn.h"
#include "core/stream/lent.h"
#include "core/stream/stream.h"
#include "core/wait.h"
#include "core/watch/check.h"
#include "mpi/comm.h" /* comm_next_key */
#include "mpi/post.h"

#pragma weak PMPI_Type_size
#pragma weak PMPI_Type_get_extent
#pragma weak PMPI_Type_get_true_extent
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Iprobe
#pragma weak PMPI_Comm_call_errhandler

struct mpi_call call_begin(const char *name, MPI_Comm comm, const void *address,
                           const void *frame)
{
    wait_for_owed();
    struct mpi_call c = {
        .name = site_call(name),
        .site = simgpu_site(simgpu_site_caller ? simgpu_site_caller : address),
        .comm = comm,
        .frame = frame,
        .peer = CALL_ALL,
        .tag = MPI_ANY_TAG};
    simgpu_called(CONTROL_CALL, c.name, c.site);
    if (strncmp(c.name, "MPI_Test", 8) != 0) { // a poll: their number varies
        simgpu_stream_ahead(simgpu_device_current(), 1, c.name, c.site);
        plant_count(c.name, c.site);
    }
    PMPI_Comm_size(comm, &c.size);
    return c;
}

static struct graph_access access_to(const struct mpi_call *c, const void *buf,
                                     size_t nbytes, enum graph_touch how)
{
    struct graph_access a = {.write = how, .site = c->site};
    struct heap_block block;
    if (simgpu_heap_find(buf, &block) == 0) {
        a.alloc = block.id;
        a.begin = (uint64_t)((const char *)buf - block.base);
    } else { // ordinary memory: the allocation is the process's address space
        a.alloc = (uint64_t)simgpu_proc()->rank << 32;
        a.begin = (uintptr_t)buf;
    }
    a.end = a.begin + nbytes;
    return a;
}

static void add_access(struct mpi_call *c, const void *buf, size_t nbytes,
                       enum graph_touch how)
{
    if (buf && buf != MPI_IN_PLACE && nbytes)
        c->access[c->naccesses++] = access_to(c, buf, nbytes, how);
}

uint64_t call_lends(const struct mpi_call *c, const void *buf, size_t nbytes,
                    enum graph_touch how)
{
    if (!buf || buf == MPI_IN_PLACE || !nbytes)
        return 0;
    const struct graph_access a = access_to(c, buf, nbytes, how);
    return simgpu_lent_begin(
        &a, c->name, "a wait finds the request complete: call MPI_Wait first");
}

void call_reads(struct mpi_call *c, const void *buf, size_t nbytes)
{
    if (buf && buf != MPI_IN_PLACE && nbytes)
        check_note_bounds(c->site, c->name, "reads", buf, nbytes);
    add_access(c, buf, nbytes, GRAPH_READ);
}

void call_writes(struct mpi_call *c, const void *buf, size_t nbytes)
{
    add_access(c, buf, nbytes, GRAPH_WRITE);
}

static void check_end(const struct mpi_call *c, const void *buf, size_t nbytes,
                      enum graph_touch how)
{
    if (how == GRAPH_READ)
        host_extent_read(c->name, c->site, buf, nbytes);
    else
        host_extent_write(c->name, c->site, buf, nbytes);
}

/* A type whose elements begin before the buffer's address is not checked. */
void call_fits(const struct mpi_call *c, int peer, const void *buf, int count,
               MPI_Datatype type, enum graph_touch how)
{
    struct heap_block b;
    MPI_Aint lower, extent, begin, nbytes;
    if (!buf || peer == MPI_PROC_NULL || count <= 0 ||
        type == MPI_DATATYPE_NULL || simgpu_heap_find(buf, &b) == 0 || b.base ||
        PMPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(type, &begin, &nbytes) != MPI_SUCCESS ||
        begin < 0 || extent < 0)
        return;
    check_end(c, buf, (size_t)((count - 1) * extent + begin + nbytes), how);
}

/* What a collective touches of the host's memory. */
static void check_host(const struct mpi_call *c)
{
    const uint64_t host = (uint64_t)simgpu_proc()->rank << 32;
    for (int i = 0; i < c->naccesses; i++) {
        const struct graph_access *const a = &c->access[i];
        if (a->alloc == host)
            check_end(c, (const void *)(uintptr_t)a->begin, a->end - a->begin,
                      a->write);
    }
}

size_t call_nbytes(int count, MPI_Datatype type)
{
    int size = 0;
    // MPI ignores some arguments, as in MPI_Allgather in place
    if (count <= 0 || type == MPI_DATATYPE_NULL)
        return 0;
    return PMPI_Type_size(type, &size) == MPI_SUCCESS ? (size_t)count * size
                                                      : 0;
}

int call_is_dense(MPI_Datatype type)
{
    MPI_Aint lower, extent, begin, nbytes;
    int size = 0;
    return type != MPI_DATATYPE_NULL &&
           PMPI_Type_get_extent(type, &lower, &extent) == MPI_SUCCESS &&
           PMPI_Type_get_true_extent(type, &begin, &nbytes) == MPI_SUCCESS &&
           PMPI_Type_size(type, &size) == MPI_SUCCESS && begin == 0 &&
           nbytes == size && extent == size;
}

static struct graph_node host_node(const struct mpi_call *c, size_t nbytes)
{
    const struct proc *const p = simgpu_proc();
    return (struct graph_node){.kind = GRAPH_MPI,
                               .place = TOPO_HOST_PLACE(p->node),
                               .host_ps = p->costs->api_host_ps,
                               .bytes = nbytes,
                               .name = graph_string(p->graph, c->name),
                               .site = c->site,
                               .naccesses = c->naccesses};
}

static enum graph_match match_of(enum topo_op op)
{
    switch (op) {
    case TOPO_OP_BROADCAST:
    case TOPO_OP_SCATTER: return GRAPH_MATCH_FROM_ROOT;
    case TOPO_OP_REDUCE:
    case TOPO_OP_GATHER: return GRAPH_MATCH_TO_ROOT;
    default: return GRAPH_MATCH_ALL;
    }
}

void call_collective(struct mpi_call *c, enum topo_op op, int root,
                     size_t nbytes)
{
    struct graph_node n = host_node(c, nbytes);
    const uint64_t key = comm_next_key(c->comm);
    check_host(c);
    int rank = 0;
    if (key && PMPI_Comm_rank(c->comm, &rank) == MPI_SUCCESS) {
        n.op = op;
        n.match_kind = match_of(op);
        n.match = key;
        n.match_size = c->size;
        n.match_rank = rank;
        n.match_root = root;
    }
    c->node = hostfn_record(&n, c->access);
    post_compare(c, key, root, nbytes);
    call_wait(c, CALL_ALL, MPI_ANY_TAG);
}

void call_message(struct mpi_call *c, uint64_t key, int receiver,
                  int rendezvous, size_t nbytes)
{
    struct graph_node n = host_node(c, nbytes);
    n.op = TOPO_OP_SENDRECV;
    n.match_kind = rendezvous ? GRAPH_MATCH_PAIR : GRAPH_MATCH_MESSAGE;
    n.match = key;
    n.match_size = key ? 2 : 0;
    n.match_rank = receiver;
    hostfn_record(&n, c->access);
}

/* "waits for rank 3, tag 7, in a communicator of 4 ranks" */
static void describe(const void *arg, char *out, size_t nbytes)
{
    const struct mpi_call *const c = arg;
    char tag[32] = "any tag", peer[32] = "any rank";
    if (c->tag != MPI_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", c->tag);
    if (c->peer != MPI_ANY_SOURCE)
        snprintf(peer, sizeof peer, "rank %d", c->peer);
    if (c->peer == CALL_REQUESTS)
        snprintf(out, nbytes, "waits for requests to complete");
    else if (c->peer == CALL_ALL)
        snprintf(out, nbytes, "waits for all ranks of a communicator of %d",
                 c->size);
    else if (atomic_load(&c->found))
        snprintf(
            out, nbytes,
            "waits for %s, %s, in a communicator of %d;\n      a message of "
            "rank %d with tag %d is there, but nothing receives it",
            peer, tag, c->size, c->found_source, c->found_tag);
    else
        snprintf(out, nbytes, "waits for %s, %s, in a communicator of %d", peer,
                 tag, c->size);
}

void call_look(struct mpi_call *c, const struct nap *n)
{
    enum { EACH = 64 }; // naps: messages on time cost no probes
    const int probes[][2] = {{c->peer, MPI_ANY_TAG}, {MPI_ANY_SOURCE, c->tag}};
    MPI_Status s;
    int found = 0;
    if (n->naps % EACH != EACH - 1 || atomic_load(&c->found))
        return;
    for (int i = 0; i < 2 && !found; i++)
        if (PMPI_Iprobe(probes[i][0], probes[i][1], c->comm, &found, &s) !=
            MPI_SUCCESS)
            return;
    if (!found || ((c->peer == MPI_ANY_SOURCE || s.MPI_SOURCE == c->peer) &&
                   (c->tag == MPI_ANY_TAG || s.MPI_TAG == c->tag)))
        return; // it has just arrived
    c->found_source = s.MPI_SOURCE;
    c->found_tag = s.MPI_TAG;
    atomic_store(&c->found, 1);
}

void call_wait(struct mpi_call *c, int peer, int tag)
{
    c->peer = peer;
    c->tag = tag;
    // ranks of a communicator of this size are taken for the job's ranks
    const int is_named =
        peer >= 0 && (uint32_t)c->size == simgpu_proc()->nranks;
    c->note = (struct wait_note){.call = c->name,
                                 .site = c->site,
                                 .describe = describe,
                                 .arg = c,
                                 .node = c->node,
                                 .peer = is_named ? (uint32_t)peer + 1 : 0};
    wait_begin(&c->note);
}

int call_asleep(struct mpi_call *c, int err)
{
    if (err == MPI_SUCCESS)
        err = nap_wait_living(&c->request, c->comm, c->peer);
    call_end(c, err);
    return err == NAP_DEAD ? call_died(c) : err;
}

int call_died(const struct mpi_call *c)
{
    // the program's error handler decides: it ends the job, or returns
    const int err = PMPI_Comm_call_errhandler(c->comm, NAP_DEAD);
    return err == MPI_SUCCESS ? NAP_DEAD : err;
}

int call_end(struct mpi_call *c, int err)
{
    (void)c;
    wait_end();
    return err;
}
