#define _GNU_SOURCE
#include "core/site.h"

#include <link.h>    /* dl_iterate_phdr */
#include <pthread.h> /* pthread_getattr_np */
#include <string.h>  /* strcmp */

#include "base/mix.h" /* MIX_STEP */
#include "core/proc.h"

/* ---- the callers of a call ----------------------------------------------- */

struct frame { /* laid out by -fno-omit-frame-pointer */
    const struct frame *caller;
    const void *return_address;
};

struct range {
    uintptr_t begin, end;
};

/* The first module that is visited is the program. */
static int note_program(struct dl_phdr_info *info, size_t nbytes, void *arg)
{
    struct range *const program = arg;
    (void)nbytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X)) {
            program->begin = info->dlpi_addr + p->p_vaddr;
            program->end = program->begin + p->p_memsz;
        }
    }
    return 1;
}

static struct range find_program(void)
{
    static struct range program;
    if (!program.end)
        dl_iterate_phdr(note_program, &program);
    return program;
}

int site_in_program(uintptr_t address)
{
    const struct range program = find_program();
    return address >= program.begin && address < program.end;
}

static struct range find_stack(void)
{
    pthread_attr_t attr;
    void *base = NULL;
    size_t nbytes = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &base, &nbytes);
        pthread_attr_destroy(&attr);
    }
    return (struct range){(uintptr_t)base, (uintptr_t)base + nbytes};
}

/* True if the frame can be read: it is on this thread's stack, above the last
 * one. Code without frame pointers may have left any value there. */
static int is_frame(const struct frame *f, uintptr_t above,
                    const struct range *stack)
{
    const uintptr_t at = (uintptr_t)f;
    return at > above && at >= stack->begin && at % sizeof(void *) == 0 &&
           at + sizeof *f <= stack->end;
}

/*
 * Find the call that returns to `address`, made by an API function on the
 * stack, and its callers, as far as they are in the program. Returns their
 * number, at least 1.
 */
static int find_calls(const void *address, struct range stack,
                      const void *call[SITE_DEPTH])
{
    enum { MAX_FRAMES = 16 };
    const struct frame *f = __builtin_frame_address(0);
    uintptr_t above = 0;
    int n = 1, found = 0;
    call[0] = address;
    for (int i = 0; i < MAX_FRAMES && n < SITE_DEPTH; i++) {
        if (!is_frame(f, above, &stack))
            break;
        const uintptr_t back = (uintptr_t)f->return_address;
        if (found && site_in_program(back))
            call[n++] = f->return_address;
        found |= f->return_address == address;
        above = (uintptr_t)f;
        f = f->caller;
    }
    return n;
}

__thread const void *simgpu_site_caller;
__thread const char *simgpu_site_call;

uint32_t simgpu_site(const void *return_address)
{
    static _Thread_local struct range stack;
    const void *call[SITE_DEPTH];
    if (!stack.end)
        stack = find_stack();
    const int n = find_calls(return_address, stack, call);
    return graph_site_stack(simgpu_proc()->graph, call, n);
}

/* Kernels ask for the same few sites again and again. */
uint32_t simgpu_site_below(const void *return_address, const void *top)
{
    enum { KNOWN = 64 };
    static _Thread_local struct known {
        const void *call[SITE_DEPTH];
        int n;
        uint32_t site;
    } known[KNOWN];
    const void *call[SITE_DEPTH] = {NULL};
    const struct range stack = {0, (uintptr_t)top};
    const int n = find_calls(return_address, stack, call);
    const uint64_t mixed =
        ((uintptr_t)call[0] + 3 * (uintptr_t)call[1]) * MIX_STEP;
    struct known *const k = &known[mixed >> 32 & (KNOWN - 1)];
    if (k->n != n || memcmp(k->call, call, sizeof call) != 0) {
        k->n = n;
        k->site = graph_site_stack(simgpu_proc()->graph, call, n);
        memcpy(k->call, call, sizeof call);
    }
    return k->site;
}

uint32_t site_of_frames(const void *const *frame, int n)
{
    const void *call[SITE_DEPTH] = {frame[0]};
    int ncalls = 0;
    for (int i = 0; i < n && ncalls < SITE_DEPTH; i++)
        if (site_in_program((uintptr_t)frame[i]))
            call[ncalls++] = frame[i];
    return graph_site_stack(simgpu_proc()->graph, call, ncalls ? ncalls : 1);
}

const char *simgpu_site_text(uint32_t site, char *out, size_t nbytes)
{
    return graph_site_text(simgpu_proc()->graph, site, out, nbytes);
}

/* Calls in other modules than the innermost one are left out: a location has
 * space for one path. */
void simgpu_site_locate(uint32_t site, struct site_location *out)
{
    const void *address[SITE_DEPTH];
    const int n = graph_site_calls(simgpu_proc()->graph, site, address);
    char module[sizeof out->module];
    *out = (struct site_location){.ncalls = 0};
    for (int i = 0; i < n; i++) {
        uint64_t *const offset = &out->offset[out->ncalls];
        site_locate(address[i], module, sizeof module, offset);
        if (i == 0)
            memcpy(out->module, module, sizeof module);
        out->ncalls += strcmp(out->module, module) == 0;
    }
}

const char *simgpu_site_location_text(const struct site_location *where,
                                      char *out, size_t nbytes)
{
    struct site_call call[SITE_DEPTH];
    for (int i = 0; i < where->ncalls; i++)
        call[i] = (struct site_call){where->module, where->offset[i]};
    return site_stack_text(call, where->ncalls, out, nbytes);
}
