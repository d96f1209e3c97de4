#define _GNU_SOURCE
#include "core/heap/host_extent.h"

#include <dlfcn.h>   /* dladdr */
#include <pthread.h> /* pthread_getattr_np */
#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* malloc */
#include <string.h>  /* strstr */
#include <sys/uio.h> /* process_vm_readv */
#include <unistd.h>  /* sbrk */
#include <unwind.h>  /* _Unwind_Backtrace */

#include "core/heap/host_memory.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"

struct extent {
    size_t nbytes;  /* from the address on */
    char what[256]; /* what ends there */
};

/* ---- blocks of malloc() -------------------------------------------------- */

/* The header of a block of glibc, two words in front of it. */
struct header {
    size_t previous; /* the size of the block before it, if that is free */
    size_t size;     /* with the header; and flags in the low bits */
};
enum { IN_USE_BEFORE = 1, MAPPED = 2, OTHER_ARENA = 4, FLAGS = 7 };
enum { ALIGNMENT = 2 * sizeof(size_t), PAGE = 4096, MAX_STEPS = 16 };

static int is_glibc(void)
{
    static int answer; // -1: no, 1: yes
    Dl_info info;
    if (!answer)
        answer = dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) &&
                         info.dli_fname && strstr(info.dli_fname, "/libc.so.")
                     ? 1
                     : -1;
    return answer == 1;
}

/* Read a header, which may be where no memory is. */
static int peek(uintptr_t at, struct header *h)
{
    const struct iovec to = {h, sizeof *h}, from = {(void *)at, sizeof *h};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof *h;
}

static size_t size_of(const struct header *h)
{
    return h->size & ~(size_t)FLAGS;
}

/* True for what the header of a block in an arena can be. */
static int is_plausible(const struct header *h, size_t arena)
{
    enum { MIN = 2 * ALIGNMENT };
    return !(h->size & MAPPED) && (h->size & OTHER_ARENA) == arena &&
           size_of(h) >= MIN && size_of(h) % ALIGNMENT == 0;
}

/* True if the blocks from `at` on follow each other. The first is in use. */
static int is_chain(uintptr_t at, struct header h)
{
    const size_t arena = h.size & OTHER_ARENA;
    for (int i = 0; i < MAX_STEPS; i++) {
        if (!is_plausible(&h, arena))
            return 0;
        const size_t size = size_of(&h);
        const uintptr_t next = at + size;
        if (!arena && next == (uintptr_t)sbrk(0))
            return i > 0;
        if (next < at || !peek(next, &h))
            return 0;
        if (!(h.size & IN_USE_BEFORE) && (i == 0 || h.previous != size))
            return 0;
        at = next;
    }
    return 1;
}

static int in_heap(const void *p, size_t nbytes, struct extent *out)
{
    struct header h;
    const uintptr_t at = (uintptr_t)p - sizeof h;
    if (!is_glibc() || (uintptr_t)p % ALIGNMENT || !peek(at, &h))
        return 0;
    const int mapped = h.size & MAPPED;
    const size_t size = size_of(&h);
    out->nbytes = size - (mapped ? 2 : 1) * sizeof(size_t);
    if (size < ALIGNMENT || nbytes <= out->nbytes)
        return 0;
    if (mapped ? at % PAGE || size < PAGE || size % PAGE || h.previous ||
                     (h.size & OTHER_ARENA) || !peek(at + size - sizeof h, &h)
               : !is_chain(at, h))
        return 0;
    snprintf(out->what, sizeof out->what,
             "a block from malloc() or new with room for %zu bytes",
             out->nbytes);
    return 1;
}

/* ---- local variables ----------------------------------------------------- */

struct frames { /* the search for the frame that contains p */
    uintptr_t p, end;
    const void *pc, *last_pc; /* in that frame's function, and in the last */
};

/* For each function on the stack: where its frame begins, which is where the
 * frame before ends. */
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *c, void *arg)
{
    struct frames *const f = arg;
    const uintptr_t begin = _Unwind_GetCFA(c);
    if (begin > f->p && f->last_pc) {
        f->end = begin;
        f->pc = f->last_pc;
        return _URC_END_OF_STACK;
    }
    if (begin > f->p)
        return _URC_END_OF_STACK; // p is below this function's frame
    f->last_pc = (const void *)_Unwind_GetIP(c);
    return _URC_NO_REASON;
}

/* Where the calling thread's stack ends. */
static uintptr_t stack_end(void)
{
    static __thread uintptr_t end;
    pthread_attr_t attr;
    void *begin = NULL;
    size_t nbytes = 0;
    if (end || pthread_getattr_np(pthread_self(), &attr) != 0)
        return end;
    pthread_attr_getstack(&attr, &begin, &nbytes);
    pthread_attr_destroy(&attr);
    return end = (uintptr_t)begin + nbytes;
}

static int is_on_stack(const void *p)
{
    const char local = 0;
    return (uintptr_t)p > (uintptr_t)&local && (uintptr_t)p < stack_end();
}

static int in_frame(const void *p, size_t nbytes, struct extent *out)
{
#if defined(__x86_64__)
    enum { RETURN_ADDRESS = sizeof(void *) }; // the last word of a frame
#else
    enum { RETURN_ADDRESS = 0 };
#endif
    struct frames f = {.p = (uintptr_t)p};
    char where[192];
    _Unwind_Backtrace(look_at_frame, &f);
    if (!f.end || f.end - f.p < RETURN_ADDRESS)
        return 0;
    out->nbytes = f.end - f.p - RETURN_ADDRESS;
    if (nbytes <= out->nbytes || !site_in_program((uintptr_t)f.pc))
        return 0;
    snprintf(out->what, sizeof out->what,
             "the stack frame of the function at %s, which has %zu bytes from "
             "there on",
             simgpu_site_text(simgpu_site(f.pc), where, sizeof where),
             out->nbytes);
    return 1;
}

/* ---- static variables ---------------------------------------------------- */

static int in_variable(const void *p, size_t nbytes, struct extent *out)
{
    struct host_memory m;
    if (!host_memory_variable(p, &m))
        return 0;
    const size_t first = (size_t)((const char *)p - m.begin);
    char from[64] = "";
    out->nbytes = (size_t)(m.end - (const char *)p);
    if (nbytes <= out->nbytes)
        return 0;
    if (first > 0)
        snprintf(from, sizeof from, " (from its byte %zu on)", first);
    snprintf(out->what, sizeof out->what, "%s, a variable of %zu bytes%s",
             m.name, (size_t)(m.end - m.begin), from);
    return 1;
}

/* ---- both directions ----------------------------------------------------- */

/* Returns true, and fills in *out, if what is at p ends before nbytes. */
static int is_short(const void *p, size_t nbytes, struct extent *out)
{
    if (!p || nbytes == 0 || nbytes > SIZE_MAX / 2)
        return 0;
    if (is_on_stack(p))
        return in_frame(p, nbytes, out);
    return in_heap(p, nbytes, out) || in_variable(p, nbytes, out);
}

void host_extent_read(const char *call, uint32_t site, const void *p,
                      size_t nbytes)
{
    struct extent e;
    char where[256], text[768];
    if (!is_short(p, nbytes, &e))
        return;
    snprintf(text, sizeof text,
             "out of bounds: %s at %s reads %zu bytes of the host's memory, "
             "%zu of them past the end of %s",
             call, simgpu_site_text(site, where, sizeof where), nbytes,
             nbytes - e.nbytes, e.what);
    graph_note_fault(simgpu_proc()->graph, 0, site, 0, text);
}

void host_extent_write(const char *call, uint32_t site, const void *p,
                       size_t nbytes)
{
    struct extent e;
    char where[256];
    if (!is_short(p, nbytes, &e))
        return;
    simgpu_report_fault(
        NULL,
        "%s at %s writes %zu bytes to the host's memory, %zu of them past the "
        "end of\n%s.\nCheck the size of the buffer, and that the count "
        "is in the unit that the call\nexpects: bytes or elements.",
        call, simgpu_site_text(site, where, sizeof where), nbytes,
        nbytes - e.nbytes, e.what);
}
