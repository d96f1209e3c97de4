#include "extras/nvshmem/request.h"

#include <pthread.h>
#include <stdarg.h> /* va_list */
#include <stdio.h>  /* vsnprintf */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

#include "core/report.h"
#include "core/site.h"
#include "extras/nvshmem/collective.h"
#include "extras/nvshmem/move.h"
#include "extras/nvshmem/word.h"
#include "extras/nvshmem/world.h"
#include "simgpu/kernel.h"
#include "simgpu/multicast.h" /* simgpu_kernel_fault */

/* ---- messages ------------------------------------------------------------ */

/* The program's line, for messages. */
static const char *site_of(const struct shmem_request *r, char *out,
                           size_t nbytes)
{
    return simgpu_site_text(simgpu_site(r->pc), out, nbytes);
}

void request_fault(const struct shmem_request *r, const char *format, ...)
{
    char what[1024], call[512], site[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    site_of(r, site, sizeof site);
    if (simgpu_outside)
        simgpu_report_fault(NULL, "%s, at %s:\n  %s.", r->call, site, what);
    snprintf(call, sizeof call, "%s, at %s", r->call, site);
    simgpu_kernel_fault(call, what);
    abort(); // not reached
}

void request_calls(const struct shmem_request *r)
{
    simgpu_site_caller = r->pc;
    simgpu_site_call = simgpu_outside ? r->call : NULL;
}

void request_called(void)
{
    simgpu_site_caller = NULL;
    simgpu_site_call = NULL;
}

/* ---- in kernels ---------------------------------------------------------- */

/* This thread's number in its block. */
static unsigned thread_number(void)
{
    const struct simgpu_uint3 t = simgpu_thread_idx, n = simgpu_block_dim;
    return t.x + n.x * (t.y + n.y * t.z);
}

static void meet(enum scope scope)
{
    const struct simgpu_uint3 n = simgpu_block_dim;
    const unsigned left = n.x * n.y * n.z - thread_number() / 32 * 32;
    if (scope == SCOPE_BLOCK)
        simgpu_syncthreads();
    else if (scope == SCOPE_WARP)
        simgpu_ballot(0, left < 32 ? (1u << left) - 1 : ~0u);
}

static int is_first(enum scope scope)
{
    const unsigned me = thread_number();
    return scope == SCOPE_BLOCK ? me == 0 : scope != SCOPE_WARP || me % 32 == 0;
}

/* In a kernel: do what the request says. */
static void carry_out(const struct shmem_request *r)
{
    switch (r->kind) {
    case REQUEST_PUT:
    case REQUEST_GET:
    case REQUEST_IPUT:
    case REQUEST_IGET:
    case REQUEST_QUIET:
    case REQUEST_FENCE: move_do(r); break;
    case REQUEST_PUT_SIGNAL:
    case REQUEST_SIGNAL:
    case REQUEST_STORE:
    case REQUEST_UPDATE:
    case REQUEST_WAIT: word_do(r); break;
    default: coll_do(r); break;
    }
}

/* ---- host calls ---------------------------------------------------------- */

/* The kernel that a host call launches. Only its first thread works; the others
 * give it their share of the links. */
static void run_kernel(const void *host_stub, void *const *params)
{
    (void)host_stub;
    const struct simgpu_uint3 b = simgpu_block_idx;
    if (thread_number() == 0 && b.x == 0)
        carry_out(params[0]);
}

/* A kernel named after the call. */
static const struct simgpu_kernel *kernel_of(const char *call)
{
    static const uint32_t nbytes = sizeof(struct shmem_request);
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct known {
        struct simgpu_kernel kernel;
        struct known *next;
    } * first;
    pthread_mutex_lock(&lock);
    struct known *k = first;
    while (k && strcmp(k->kernel.name, call) != 0)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k)) != NULL) {
        k->kernel = (struct simgpu_kernel){.host_stub = k,
                                           .name = call,
                                           .call = run_kernel,
                                           .param_nbytes = &nbytes,
                                           .nparams = 1};
        simgpu_register_kernel(&k->kernel);
        k->next = first;
        first = k;
    }
    pthread_mutex_unlock(&lock);
    if (!k)
        simgpu_report_fault(NULL, "out of host memory for %s", call);
    return &k->kernel;
}

/* A collective moves its data with this many threads. */
static const dim3 many_blocks = {16, 1, 1}, many_threads = {512, 1, 1},
                  one = {1, 1, 1};

static void launch(const struct shmem_request *r, cudaStream_t stream)
{
    const int moves = r->nelems > 0 && r->kind != REQUEST_WAIT &&
                      r->kind != REQUEST_UPDATE && r->kind != REQUEST_STORE;
    void *args[] = {(void *)r};
    MUST(r, cudaLaunchKernel(kernel_of(r->call)->host_stub,
                             moves ? many_blocks : one,
                             moves ? many_threads : one, args, 0, stream));
}

/* Put or get consecutive bytes as a copy, which uses a copy engine. */
static void copy(const struct shmem_request *r, cudaStream_t stream)
{
    const size_t nbytes = r->nelems * r->size;
    const int puts = r->kind == REQUEST_PUT || r->kind == REQUEST_PUT_SIGNAL;
    void *const to =
        puts ? heap_of_pe(r, r->dest, nbytes, r->pe, "dest") : r->dest;
    const void *const from =
        puts ? r->source : heap_of_pe(r, r->source, nbytes, r->pe, "source");
    if (nbytes)
        MUST(r, cudaMemcpyAsync(to, from, nbytes, cudaMemcpyDefault, stream));
}

void request_run(const struct shmem_request *r)
{
    if (!simgpu_outside) {
        if (r->scope == SCOPE_STREAM)
            request_fault(r, "it is for host code");
        world_for(r);
        meet(r->scope);
        if (is_first(r->scope))
            carry_out(r);
        meet(r->scope);
        return;
    }
    if (r->scope == SCOPE_WARP || r->scope == SCOPE_BLOCK)
        request_fault(r, "it is for kernels");
    const struct world *const w = world_bind(r);
    const cudaStream_t stream =
        r->scope == SCOPE_STREAM ? r->stream : w->stream;
    struct shmem_request rest = *r;
    if (r->kind == REQUEST_PUT || r->kind == REQUEST_GET ||
        r->kind == REQUEST_PUT_SIGNAL) {
        copy(r, stream);
        rest.kind = REQUEST_SIGNAL;
        rest.nelems = 0;
    }
    if (r->kind != REQUEST_PUT && r->kind != REQUEST_GET)
        launch(&rest, stream);
    if (r->scope != SCOPE_STREAM && !r->nbi)
        MUST(r, cudaStreamSynchronize(stream));
}
