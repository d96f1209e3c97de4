#define _GNU_SOURCE
#include "core/heap/host_memory.h"

#include <link.h>    /* dl_iterate_phdr */
#include <pthread.h> /* pthread_getattr_np */
#include <stdint.h>  /* uintptr_t */
#include <stdio.h>   /* fopen */
#include <stdlib.h>  /* free */
#include <string.h>  /* strcmp */

#include "core/heap/heap_space.h" /* space_is_stack */
#include "core/heap/variables.h"

/* ---- modules ------------------------------------------------------------- */

struct segment { /* the part of a module that contains an address */
    uintptr_t p;
    int found;
    int is_constant;
    int is_local; /* the calling thread's copy of thread-local variables */
    uintptr_t begin, end, base;
    char path[1024];
};

static int in_segment(const struct dl_phdr_info *m, const ElfW(Phdr) * h,
                      uintptr_t p)
{
    const uintptr_t begin = m->dlpi_addr + h->p_vaddr;
    return p >= begin && p - begin < h->p_memsz;
}

/* Thread-local memory of a library that was loaded while the program ran. */
static int in_local(const struct dl_phdr_info *m, const ElfW(Phdr) * h,
                    uintptr_t p)
{
    const uintptr_t begin = (uintptr_t)m->dlpi_tls_data;
    return h->p_type == PT_TLS && begin && p >= begin && p - begin < h->p_memsz;
}

static int look_at_module(struct dl_phdr_info *m, size_t nbytes, void *arg)
{
    struct segment *const s = arg;
    (void)nbytes;
    for (int i = 0; i < m->dlpi_phnum; i++) {
        const ElfW(Phdr) *const h = &m->dlpi_phdr[i];
        if (in_local(m, h, s->p)) {
            s->begin = (uintptr_t)m->dlpi_tls_data;
            s->end = s->begin + h->p_memsz;
            return s->found = s->is_constant = s->is_local = 1;
        }
        if ((h->p_type != PT_LOAD && h->p_type != PT_GNU_RELRO) ||
            !in_segment(m, h, s->p))
            continue;
        // constants that had to be relocated follow the segment they are in
        s->is_constant = h->p_type == PT_GNU_RELRO || !(h->p_flags & PF_W);
        s->found = 1;
        s->base = m->dlpi_addr;
        s->begin = m->dlpi_addr + h->p_vaddr;
        s->end = s->begin + h->p_memsz;
        snprintf(s->path, sizeof s->path, "%s",
                 *m->dlpi_name ? m->dlpi_name : "/proc/self/exe");
    }
    return s->found;
}

static struct segment segment_of(const void *p)
{
    struct segment s = {.p = (uintptr_t)p};
    dl_iterate_phdr(look_at_module, &s);
    return s;
}

/* p is in a segment of a module. Its variables are the host's unless simnvcc
 * lists them. */
static void find_variable(const void *p, const struct segment *s,
                          struct host_memory *out)
{
    struct variable v;
    const struct variables *const of =
        s->is_constant ? NULL : variables_of(s->path);
    out->kind = HOST_OPEN;
    out->is_local = s->is_local;
    out->begin = (const char *)s->begin;
    out->end = (const char *)s->end;
    if (!of)
        return;
    out->begin = p;
    out->end = (const char *)p + 1;
    if (!variables_find(of, (uintptr_t)p - s->base, &v))
        return;
    out->kind = v.is_device ? HOST_OPEN : HOST_STATIC;
    out->is_constant = v.is_constant;
    out->is_managed = v.is_managed;
    out->begin = (const char *)(s->base + v.begin);
    out->end = (const char *)(s->base + v.end);
    snprintf(out->name, sizeof out->name, "%s", v.name);
}

/* ---- mappings ------------------------------------------------------------ */

struct mapping {
    uintptr_t begin, end;
    int readable, shared;
    char path[256];
};

static int mapping_of(const void *p, struct mapping *m)
{
    FILE *const f = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t cap = 0;
    int found = 0;
    while (f && !found && getline(&line, &cap, f) > 0) {
        unsigned long begin, end;
        char mode[8];
        m->path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %255[^\n]", &begin, &end,
                   mode, m->path) < 3)
            continue;
        found = (uintptr_t)p >= begin && (uintptr_t)p < end;
        m->begin = begin;
        m->end = end;
        m->readable = mode[0] == 'r';
        m->shared = mode[3] == 's';
    }
    free(line);
    if (f)
        fclose(f);
    return found && m->readable;
}

static int holds(const struct mapping *m, const void *p)
{
    return (uintptr_t)p >= m->begin && (uintptr_t)p < m->end;
}

/* True if p is on the stack that the system gave the calling thread. */
static int is_own_stack(const void *p)
{
    pthread_attr_t attr;
    void *begin = NULL;
    size_t nbytes = 0;
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return 0;
    pthread_attr_getstack(&attr, &begin, &nbytes);
    pthread_attr_destroy(&attr);
    return (uintptr_t)p - (uintptr_t)begin < nbytes;
}

/* What p is in a mapping that belongs to no module. */
static enum host_kind kind_of(const struct mapping *m, const void *p,
                              const void *frame, const void *pc)
{
    const int local = 0;
    if (strcmp(m->path, "[stack]") == 0 || holds(m, frame))
        return HOST_STACK;
    if (is_own_stack(p) || (!space_is_stack(&local) && holds(m, &local)))
        return HOST_OPEN;
    const struct segment kernel = segment_of(pc);
    const struct variables *const v =
        kernel.found ? variables_of(kernel.path) : NULL;
    if (!v || variables_allocate(v) || strncmp(m->path, "/memfd:", 7) == 0)
        return HOST_OPEN;
    return m->path[0] == '/' ? HOST_MAPPED : HOST_HEAP;
}

void host_memory_find(const void *p, const void *frame, const void *pc,
                      struct host_memory *out)
{
    struct mapping m;
    *out = (struct host_memory){0};
    const struct segment s = segment_of(p);
    if (s.found) {
        find_variable(p, &s, out);
        return;
    }
    if (!mapping_of(p, &m))
        return;
    out->kind = kind_of(&m, p, frame, pc);
    out->begin = (const char *)m.begin;
    out->end = (const char *)m.end;
}

int host_memory_variable(const void *p, struct host_memory *out)
{
    static __thread struct host_memory last; // copies in loops repeat it
    const char *const at = p;
    struct variable v;
    if (!last.begin || at < last.begin || at >= last.end) {
        const struct segment s = segment_of(p);
        if (!s.found || s.is_local ||
            !variables_find_any(s.path, s.p - s.base, &v))
            return 0;
        last.begin = (const char *)(s.base + v.begin);
        last.end = (const char *)(s.base + v.end);
        snprintf(last.name, sizeof last.name, "%s", v.name);
    }
    *out = last;
    return 1;
}

int host_memory_has_returned(const void *p, const void *frame)
{
    enum { MOST = 256 << 20 }; // most stacks are smaller
    const uintptr_t below = (uintptr_t)frame - (uintptr_t)p;
    return below - 1 < MOST && is_own_stack(p) && is_own_stack(frame);
}

int host_memory_is_shared(const void *p)
{
    struct mapping m;
    return mapping_of(p, &m) && m.shared;
}
