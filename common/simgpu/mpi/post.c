#include "mpi/post.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcmp */
#include <unistd.h> /* usleep */

#include "core/peer.h"
#include "core/report.h"
#include "core/site.h"

/* The arguments of each call that must be the same on all ranks. */
static const struct rule {
    const char *name;
    int root, size;
} rules[] = {
    {"MPI_Bcast", 1, 1},     {"MPI_Reduce", 1, 1},
    {"MPI_Allreduce", 0, 1}, {"MPI_Reduce_scatter_block", 0, 1},
    {"MPI_Scan", 0, 1},      {"MPI_Exscan", 0, 1},
    {"MPI_Allgather", 0, 1}, {"MPI_Alltoall", 0, 1},
    {"MPI_Gather", 1, 0},    {"MPI_Gatherv", 1, 0},
    {"MPI_Scatter", 1, 0},   {"MPI_Scatterv", 1, 0},
};

static struct rule rule_of(const char *name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].name, name) == 0)
            return rules[i];
    return (struct rule){name, 0, 0};
}

/* The handle of a predefined type or operation, which is the same on all ranks;
 * 0 for any other. */
static int builtin(int handle, int kind)
{
    return (int)((unsigned)handle >> 24) == kind ? handle : 0;
}

static void write_post(const struct mpi_call *c, uint64_t key, int root,
                       size_t nbytes)
{
    enum { DATATYPE = 0x4c, OPERATION = 0x58 };
    const struct rule rule = rule_of(c->name);
    struct control_post *const p = &control_own()->post[key % CONTROL_POSTS];
    atomic_store(&p->key, 0);
    p->root = rule.root ? root : -1;
    p->nbytes = rule.size ? nbytes : CONTROL_ANY_SIZE;
    p->type = c->is_reduction ? builtin((int)c->type, DATATYPE) : 0;
    p->op = c->is_reduction ? builtin((int)c->op, OPERATION) : 0;
    snprintf(p->name, sizeof p->name, "%s", c->name);
    simgpu_site_locate(c->site, &p->site);
    atomic_store(&p->key, key);
}

/* A rank's post for this call, or NULL if it isn't there yet or any more. */
static const struct control_post *find(const struct peer *peer, uint64_t key)
{
    const struct control_post *const p =
        &peer->control->post[key % CONTROL_POSTS];
    return atomic_load(&p->key) == key ? p : NULL;
}

static int both_differ(int a, int b)
{
    return a && b && a != b;
}

static int differ(const struct control_post *a, const struct control_post *b)
{
    return strcmp(a->name, b->name) != 0 || a->root != b->root ||
           a->nbytes != b->nbytes || both_differ(a->type, b->type) ||
           both_differ(a->op, b->op);
}

static int count(uint64_t key)
{
    int n = 0;
    for (struct peer *p = peer_first(); p; p = p->next)
        n += find(p, key) != NULL;
    return n;
}

#pragma weak PMPI_Type_get_name

static const char *op_name(int op)
{
    static const struct {
        MPI_Op op;
        const char *name;
    } ops[] = {{MPI_SUM, ", MPI_SUM"},   {MPI_MAX, ", MPI_MAX"},
               {MPI_MIN, ", MPI_MIN"},   {MPI_PROD, ", MPI_PROD"},
               {MPI_LAND, ", MPI_LAND"}, {MPI_LOR, ", MPI_LOR"},
               {MPI_BAND, ", MPI_BAND"}, {MPI_BOR, ", MPI_BOR"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if ((int)ops[i].op == op)
            return ops[i].name;
    return "";
}

/* "  rank 2: MPI_Bcast(64 bytes, root 2) at a.c:12" */
static size_t describe(uint32_t rank, const struct control_post *p, char *out,
                       size_t nbytes)
{
    char site[256], size[64] = "", type[MPI_MAX_OBJECT_NAME + 2] = "",
                    root[32] = "", all[256];
    int length;
    if (p->nbytes != CONTROL_ANY_SIZE)
        snprintf(size, sizeof size, ", %llu bytes",
                 (unsigned long long)p->nbytes);
    if (p->type && PMPI_Type_get_name((MPI_Datatype)p->type, type + 2,
                                      &length) == MPI_SUCCESS)
        memcpy(type, ", ", 2);
    if (p->root >= 0)
        snprintf(root, sizeof root, ", root %d", p->root);
    snprintf(all, sizeof all, "%s%s%s%s", size, type, op_name(p->op), root);
    const char *const arguments = *all ? all + 2 : ""; // without the first ", "
    const int n =
        snprintf(out, nbytes, "  rank %u: %s%s%s%s at %s\n", rank, p->name,
                 *all ? "(" : "", arguments, *all ? ")" : "",
                 simgpu_site_location_text(&p->site, site, sizeof site));
    return n < 0 ? 0 : (size_t)n < nbytes ? (size_t)n : nbytes - 1;
}

static _Noreturn void report(const struct mpi_call *c, uint64_t key)
{
    enum { PATIENCE_MS = 1000 };
    char text[8192] = "";
    size_t at = 0;
    // wait for the others' posts, so that the report is the same each time
    for (int i = 0; i < PATIENCE_MS && count(key) < c->size; i++)
        usleep(1000);
    for (uint32_t rank = 0; rank < simgpu_proc()->nranks; rank++) {
        const struct peer *const p = peer_find(rank);
        const struct control_post *const post = p ? find(p, key) : NULL;
        if (post)
            at += describe(rank, post, text + at, sizeof text - at);
    }
    simgpu_report_fault(
        "MPI mismatch",
        "ranks call a collective of MPI differently:\n%sAll ranks of a "
        "communicator must make the same calls in the same order, with the "
        "same\nroot, size, type and operation.",
        text);
}

void post_compare(const struct mpi_call *c, uint64_t key, int root,
                  size_t nbytes)
{
    if (!key)
        return;
    write_post(c, key, root, nbytes);
    const struct control_post *const own =
        &control_own()->post[key % CONTROL_POSTS];
    for (struct peer *p = peer_first(); p; p = p->next) {
        const struct control_post *const other = find(p, key);
        if (!other || p->control == control_own())
            continue;
        const struct control_post copy = *other;
        // other wasn't overwritten while it was copied
        if (find(p, key) && differ(own, &copy))
            report(c, key);
    }
}
