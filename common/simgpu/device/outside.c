#include "device/outside.h"

#include <cuda_runtime_api.h> /* cudaErrorIllegalAddress */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdatomic.h>        /* atomic_load */
#include <stdio.h>            /* snprintf */

#include "core/heap/host_memory.h"
#include "core/heap/resident.h"
#include "core/proc.h"
#include "core/report.h"
#include "device/block.h" /* carrier_has */
#include "device/failure.h"
#include "device/shared.h"
#include "simgpu/kernel.h" /* simgpu_cluster_has */

enum { MAX_KNOWN = 256 };

/* Device variables and constants that kernels have touched. */
static struct outside_range known[MAX_KNOWN];
static _Atomic int nknown;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The latest range that the thread has found otherwise. */
static __thread struct outside_range latest;

static int holds(const struct outside_range *r, const char *p)
{
    return p >= r->begin && p < r->end;
}

static int is_known(const char *p, struct outside_range *out)
{
    const int n = atomic_load(&nknown);
    for (int i = 0; i < n; i++)
        if (holds(&known[i], p)) {
            *out = known[i];
            return 1;
        }
    if (!holds(&latest, p))
        return 0;
    *out = latest;
    return 1;
}

static void learn(struct outside_range r)
{
    pthread_mutex_lock(&lock);
    const int n = atomic_load(&nknown);
    if (r.is_local || n == MAX_KNOWN) {
        latest = r;
    } else {
        known[n] = r;
        atomic_store(&nknown, n + 1);
    }
    pthread_mutex_unlock(&lock);
}

/* The copies of a kernel's parameters. */
static int is_parameter(const struct launch *l, const char *p,
                        struct outside_range *out)
{
    const struct simgpu_kernel *const k = l->kernel;
    *out =
        (struct outside_range){.begin = (const char *)l->params,
                               .end = (const char *)(l->params + k->nparams)};
    for (uint32_t i = 0; !holds(out, p); i++) {
        if (i == k->nparams)
            return 0;
        const char *const at = l->params[i];
        *out =
            (struct outside_range){.begin = at, .end = at + k->param_nbytes[i]};
    }
    return 1;
}

/* Shared memory, parameters, and what was found before. */
static int is_usual(const struct launch *l, const char *p,
                    struct outside_range *out)
{
    *out = (struct outside_range){.is_local = 1};
    shared_range(&out->begin, &out->end);
    return holds(out, p) || is_parameter(l, p, out) || is_known(p, out) ||
           simgpu_cluster_has(p);
}

static _Noreturn void bad_access(const struct launch *l, const char *p,
                                 size_t nbytes, enum touch_kind kind,
                                 const void *pc, const struct host_memory *m)
{
    static const char *const what[] = {
        [HOST_STACK] = "a local variable of host code, on its stack",
        [HOST_HEAP] = "host memory from malloc(), new or mmap()",
        [HOST_MAPPED] = "host memory: a mapped file, or shared memory",
    };
    enum { PAGE = 4096 };
    char text[256];
    if (m->kind == HOST_ABSENT)
        failure_report(l, cudaErrorIllegalAddress, pc,
                       failure_access(kind, nbytes), "no memory, at %s.\n%s",
                       simgpu_pointer_text(p).text,
                       (uintptr_t)p < PAGE
                           ? "The pointer is NULL, or an offset from NULL: it "
                             "was not set, or the call that\nshould set it "
                             "failed."
                           : "An index out of bounds, or a pointer that was "
                             "not set or that was freed.");
    snprintf(text, sizeof text, "%s", what[m->kind] ? what[m->kind] : "");
    if (m->kind == HOST_STATIC)
        snprintf(text, sizeof text,
                 "byte %zu of %s, a static variable of host code",
                 (size_t)(p - m->begin), m->name);
    failure_report(
        l, cudaErrorIllegalAddress, pc, failure_access(kind, nbytes),
        "%s.\nThis GPU cannot reach it. %s", text,
        m->kind == HOST_STATIC
            ? "Make it __device__ or __managed__, or pass its value."
            : "Use memory from cudaMalloc(), cudaMallocManaged()\nor "
              "cudaMallocHost(), or register this memory with "
              "cudaHostRegister().");
}

/* End the kernel if it touches a local variable that isn't its thread's. */
static void check_local(const struct launch *l, const char *p, size_t nbytes,
                        enum touch_kind kind, const void *pc)
{
    if (!carrier_has(p))
        failure_report(
            l, cudaErrorIllegalAddress, pc, failure_access(kind, nbytes),
            "local memory, but not of a variable that this thread has now.\n"
            "A local variable or a parameter exists for its own thread only, "
            "until its function\nreturns. Copy its value to global or shared "
            "memory, and pass a pointer to that.");
}

/* End the kernel if it writes a constant. */
static void check_constant(const struct launch *l, const char *p, size_t nbytes,
                           enum touch_kind kind, const void *pc,
                           const struct outside_range *r)
{
    struct host_memory m;
    if (!r->is_constant || kind == TOUCH_READ || kind == TOUCH_POLL)
        return;
    host_memory_find(p, l->frame, pc, &m);
    failure_report(l, cudaErrorIllegalAddress, pc, failure_access(kind, nbytes),
                   "byte %zu of the constant %s.\nKernels can only read "
                   "__constant__ memory: write it with cudaMemcpyToSymbol(), "
                   "or make it __device__.",
                   (size_t)(p - m.begin), m.name);
}

/* Find out what kind of memory is at p, which is_usual() doesn't know. */
static enum host_kind look_up(const struct launch *l, const char *p,
                              const void *pc, struct host_memory *m,
                              struct outside_range *r)
{
    host_memory_find(p, l->frame, pc, m);
    *r = (struct outside_range){m->begin,           m->end,
                                m->is_local,        m->is_constant,
                                m->name[0] != '\0', m->is_managed};
    if (m->kind != HOST_OPEN)
        return m->kind;
    if (r->is_variable)
        r->is_recorded |= resident_find(p, &m->begin, &m->end);
    learn(*r);
    return m->kind;
}

int outside_touch(struct access_log *g, const char *p, size_t nbytes,
                  enum touch_kind kind, const void *pc, struct outside_range *r)
{
    struct host_memory m;
    size_t length;
    const struct launch *const l = g->launch;
    if (space_is_stack(p)) {
        *r = (struct outside_range){.is_local = 1}; // each access is checked
        check_local(l, p, nbytes, kind, pc);
        return 0;
    }
    if (is_usual(l, p, r)) {
        check_constant(l, p, nbytes, kind, pc, r);
        return r->is_recorded;
    }
    *r = (struct outside_range){0};
    if (access_log_block(g, p, nbytes) >= 0 ||
        heap_registered_range(p, &length))
        return 1;
    const enum host_kind is = look_up(l, p, pc, &m, r);
    if (is == HOST_OPEN) {
        check_constant(l, p, nbytes, kind, pc, r);
        return r->is_recorded;
    }
    if (is == HOST_ABSENT || !simgpu_proc_gpu(l->device)->pageable)
        bad_access(l, p, nbytes, kind, pc, &m);
    return 1;
}

void outside_leave(struct access_log *g)
{
    if (g->is_resident)
        simgpu_resident_leave(g->launch->device);
    g->is_resident = 0;
}

void outside_yield(struct access_log *g)
{
    if (g->is_resident)
        resident_yield(g->launch->device);
}

static void enter(struct access_log *g)
{
    if (!g->is_resident)
        simgpu_resident_enter(g->launch->device);
    g->is_resident = 1;
}

void outside_block(struct access_log *g, const char *p, const void *pc,
                   struct heap_block *out)
{
    const struct launch *const l = g->launch;
    struct outside_range r;
    struct host_memory m;
    size_t length;
    *out = (struct heap_block){.id = (uint64_t)simgpu_proc()->rank << 32,
                               .device = HEAP_PINNED,
                               .place = simgpu_proc_place(HEAP_PINNED),
                               .outside = HEAP_HOST};
    if (resident_find(p, &m.begin, &m.end)) {
        out->device = l->device;
        out->place = simgpu_proc_place(l->device);
        out->outside = HEAP_OWN;
        enter(g);
    } else if (is_known(p, &r)) {
        m.begin = r.begin;
        m.end = r.end;
        out->outside = HEAP_VARIABLE;
    } else if ((m.begin = heap_registered_range(p, &length)) != NULL) {
        m.end = m.begin + length;
    } else {
        host_memory_find(p, l->frame, pc, &m);
    }
    out->base = (char *)m.begin;
    out->nbytes = (size_t)(m.end - m.begin);
}
