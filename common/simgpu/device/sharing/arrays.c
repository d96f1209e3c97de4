#define _GNU_SOURCE
#include "device/sharing/arrays.h"

#include <cuda_runtime_api.h> /* cudaErrorIllegalAddress */
#include <link.h>             /* dl_iterate_phdr */
#include <stdio.h>            /* snprintf */
#include <stdlib.h>           /* calloc */

#include "core/heap/variables.h"
#include "core/report.h"
#include "device/failure.h"
#include "device/sharing/race.h"
#include "simgpu/kernel.h"

enum { MAX_MODULES = 16 };

struct module { /* a module's part of the thread's thread-local memory */
    const char *begin, *end;
    const struct variables *variables; /* NULL: has no kernels, or no symbols */
};

static __thread struct {
    struct module module[MAX_MODULES];
    int nmodules;
    struct shared_array *first, *latest;
    struct shared_array dynamic;
} my;

/* ---- modules ------------------------------------------------------------- */

struct search {
    const char *p;
    struct module found;
};

static int look_at_module(struct dl_phdr_info *m, size_t nbytes, void *arg)
{
    struct search *const s = arg;
    (void)nbytes;
    for (int i = 0; i < m->dlpi_phnum; i++) {
        const char *const begin = m->dlpi_tls_data;
        const char *const end = begin + m->dlpi_phdr[i].p_memsz;
        if (m->dlpi_phdr[i].p_type != PT_TLS || !begin || s->p < begin ||
            s->p >= end)
            continue;
        s->found = (struct module){
            begin, end,
            variables_of(*m->dlpi_name ? m->dlpi_name : "/proc/self/exe")};
        return 1;
    }
    return 0;
}

/* The module whose thread-local memory contains p, or NULL. */
static const struct module *module_of(const char *p)
{
    struct search s = {.p = p};
    for (int i = 0; i < my.nmodules; i++)
        if (p >= my.module[i].begin && p < my.module[i].end)
            return &my.module[i];
    dl_iterate_phdr(look_at_module, &s);
    if (!s.found.begin || my.nmodules == MAX_MODULES)
        return NULL;
    my.module[my.nmodules] = s.found;
    return &my.module[my.nmodules++];
}

/* ---- arrays -------------------------------------------------------------- */

static int holds(const struct shared_array *a, const char *p)
{
    return a && p >= a->begin && p < a->end;
}

static int is_dynamic(const char *p)
{
    return p >= simgpu_dynamic_memory &&
           p < simgpu_dynamic_memory + SIMGPU_DYNAMIC_MAX;
}

/* The dynamic array. Its length is the launch's. */
static struct shared_array *dynamic_of(const struct launch *l)
{
    my.dynamic.begin = simgpu_dynamic_memory;
    my.dynamic.end = simgpu_dynamic_memory + l->shared_nbytes;
    return &my.dynamic;
}

static struct shared_array *add(const struct module *m,
                                const struct variable *v)
{
    struct shared_array *const a = simgpu_need(
        calloc(1, sizeof *a), "the place of an array in shared memory");
    a->begin = m->begin + v->begin;
    a->end = m->begin + v->end;
    snprintf(a->name, sizeof a->name, "%s", v->name);
    a->next = my.first;
    return my.first = my.latest = a;
}

/* The array that contains p in the module's thread-local memory. If there is
 * none, *v is the variable there, or the nearest one. */
static struct shared_array *static_of(const struct module *m, const char *p,
                                      struct variable *v)
{
    if (holds(my.latest, p))
        return my.latest;
    for (struct shared_array *a = my.first; a; a = a->next)
        if (holds(a, p))
            return my.latest = a;
    return variables_find_local(m->variables, (uint64_t)(p - m->begin), v) &&
                   !v->is_device
               ? add(m, v)
               : NULL;
}

struct shared_array *arrays_find(const struct launch *l, const char *p)
{
    struct variable v;
    if (is_dynamic(p))
        return holds(dynamic_of(l), p) ? &my.dynamic : NULL;
    const struct module *const m = module_of(p);
    return m && m->variables ? static_of(m, p, &v) : NULL;
}

/* ---- bounds -------------------------------------------------------------- */

static _Noreturn void out_of_bounds(const struct launch *l, const char *p,
                                    size_t nbytes, enum touch_kind kind,
                                    const void *pc,
                                    const struct shared_array *a)
{
    char did[128], what[256];
    snprintf(did, sizeof did, "%s outside shared memory's arrays",
             failure_access(kind, nbytes));
    if (p < a->begin)
        snprintf(what, sizeof what, "%zu bytes before the __shared__ array %s",
                 (size_t)(a->begin - p), a->name);
    else if (*a->name)
        snprintf(
            what, sizeof what,
            "at offset %zu of the __shared__ array %s, which has %zu bytes",
            (size_t)(p - a->begin), a->name, (size_t)(a->end - a->begin));
    else
        snprintf(what, sizeof what,
                 "at offset %zu of the block's dynamic shared memory, of which "
                 "the launch gives %zu bytes",
                 (size_t)(p - a->begin), l->shared_nbytes);
    failure_report(l, cudaErrorIllegalAddress, pc, did, "%s.\n%s", what,
                   *a->name ? "Check the index against the array's size."
                            : "Check the index, and the launch's third "
                              "argument, in bytes.");
}

/* p is in the program's thread-local memory, but in no array. */
static void check_gap(const struct launch *l, const struct module *m,
                      const char *p, size_t nbytes, enum touch_kind kind,
                      const void *pc, const struct variable *v)
{
    struct shared_array near = {.begin = m->begin + v->begin,
                                .end = m->begin + v->end};
    if (v->is_device || !*v->name)
        return;
    snprintf(near.name, sizeof near.name, "%s", v->name);
    out_of_bounds(l, p, nbytes, kind, pc, &near);
}

struct shared_array *arrays_touch(const struct launch *l, const char *p,
                                  size_t nbytes, enum touch_kind kind,
                                  const void *pc, const char **begin,
                                  const char **end)
{
    struct variable v = {.name = ""};
    const struct module *m = NULL;
    struct shared_array *a = NULL;
    *begin = p;
    *end = p + nbytes;
    if (is_dynamic(p)) {
        a = dynamic_of(l);
    } else {
        m = module_of(p);
        a = m && m->variables ? static_of(m, p, &v) : NULL;
        if (!a && m && m->variables)
            check_gap(l, m, p, nbytes, kind, pc, &v);
    }
    if (a && p + nbytes > a->end)
        out_of_bounds(l, p, nbytes, kind, pc, a);
    if (a || (m && !m->variables)) {
        *begin = a ? a->begin : m->begin;
        *end = a ? a->end : m->end;
    }
    return a;
}

const char *arrays_text(const struct shared_array *a, const char *p,
                        size_t nbytes, char *out, size_t out_nbytes)
{
    const size_t at = (size_t)(p - a->begin);
    char range[64];
    if (nbytes == 1)
        snprintf(range, sizeof range, "byte %zu", at);
    else
        snprintf(range, sizeof range, "bytes %zu to %zu", at, at + nbytes - 1);
    snprintf(out, out_nbytes, "%s of %s%s", range,
             *a->name ? "the __shared__ array " : "the dynamic shared memory",
             a->name);
    return out;
}

void arrays_forget(void)
{
    for (struct shared_array *a = my.first, *next; a; a = next) {
        next = a->next;
        race_free(a->cells);
        free(a);
    }
    race_free(my.dynamic.cells);
    my.first = my.latest = NULL;
    my.dynamic.cells = NULL;
}
