#include "device/failure.h"

#include <cuda_runtime_api.h> /* cudaErrorIllegalAddress */
#include <pthread.h>          /* pthread_mutex_t */
#include <stdarg.h>           /* va_list */
#include <stdatomic.h>        /* atomic_load */
#include <stdio.h>            /* vsnprintf */
#include <stdlib.h>           /* getenv */
#include <string.h>           /* strcmp */

#include "core/heap/fault.h"
#include "core/heap/heap_space.h" /* space_is_stack */
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "core/watch/check.h"
#include "simgpu/kernel.h" /* simgpu_leave */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const char *failure_access(enum touch_kind kind, size_t nbytes)
{
    static const char *const verb[] = {
        "reads",   "writes", "updates", "touches", "updates", "updates",
        "touches", "polls",  "reduces", "writes",  "updates"};
    static __thread char text[64];
    snprintf(text, sizeof text, "%s %zu byte%s", verb[kind], nbytes,
             nbytes == 1 ? "" : "s");
    return text;
}

const char *failure_place(const void *pc, char *out, size_t nbytes)
{
    const void *const here = __builtin_frame_address(0);
    return graph_site_text(simgpu_proc()->graph,
                           space_is_stack(here)
                               ? simgpu_site_below(pc, space_stack_top(here))
                               : simgpu_site(pc),
                           out, nbytes);
}

static const char *name_of(int error)
{
    return error == cudaErrorIllegalAddress      ? "cudaErrorIllegalAddress"
           : error == cudaErrorInvalidPc         ? "cudaErrorInvalidPc"
           : error == cudaErrorMisalignedAddress ? "cudaErrorMisalignedAddress"
                                                 : "cudaErrorLaunchFailure";
}

/* True if the run ends at the first mistake: SIMGPU_FAIL. */
static int ends_run(void)
{
    const char *const text = getenv("SIMGPU_FAIL");
    if (text && strcmp(text, "end") != 0 && strcmp(text, "error") != 0)
        simgpu_report_fault(NULL, "SIMGPU_FAIL=%s: use end or error", text);
    return text && strcmp(text, "end") == 0;
}

/* Report the kernel's first failure. */
static void report(const struct launch *l, int error, const char *text)
{
    char launch[256];
    if (ends_run())
        simgpu_report_fault(NULL, "%s", text);
    simgpu_report_error("%s\nIt ends with error %d (%s), which later calls "
                        "return, too.",
                        text, error, name_of(error));
    simgpu_check_note(
        l->site, "kernel %s, launched at %s, ended with error %d (%s)",
        l->kernel->name, simgpu_site_text(l->site, launch, sizeof launch),
        error, name_of(error));
}

/* End the kernel with this error. The first failure of a kernel prints the
 * text, lines without a newline at the end. */
__attribute__((format(printf, 3, 4))) static _Noreturn void
failure_end(const struct launch *l, int error, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fault_in_order();
    pthread_mutex_lock(&lock);
    if (!atomic_load(&l->op->failed))
        report(l, error, text);
    op_fail(l->op, error);
    pthread_mutex_unlock(&lock);
    simgpu_leave();
}

void failure_report(const struct launch *l, int error, const void *pc,
                    const char *did, const char *format, ...)
{
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char text[1024], where[256], launch[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    failure_end(l, error,
                "kernel %s on device %d %s, at %s:\n  %s\nBlock (%u,%u,%u), "
                "thread (%u,%u,%u). The kernel was launched at %s.",
                l->kernel->name, l->device, did,
                failure_place(pc, where, sizeof where), text, b.x, b.y, b.z,
                t.x, t.y, t.z,
                simgpu_site_text(l->site, launch, sizeof launch));
}

/* What the kernel touches at p, if the first bytes are in an allocation. */
static void describe(const char *p, size_t nbytes, char *out, size_t most)
{
    struct heap_block b;
    simgpu_heap_describe(p, out, most);
    if (simgpu_heap_find(p, &b) != 0)
        return;
    const size_t n = strlen(out), within = (size_t)(b.base + b.nbytes - p);
    snprintf(out + n, most - n,
             ":\n  the last %zu of the %zu bytes are past its end",
             nbytes - within, nbytes);
}

void failure_bounds(const struct launch *l, const char *p, size_t nbytes,
                    enum touch_kind kind, const void *pc)
{
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char what[1024], where[256], launch[256];
    describe(p, nbytes, what, sizeof what);
    failure_end(l, cudaErrorIllegalAddress,
                "kernel %s on device %d %s at %s, at %s:\n  %s.\n"
                "Block (%u,%u,%u), thread (%u,%u,%u). %s\nThe kernel was "
                "launched at %s.",
                l->kernel->name, l->device, failure_access(kind, nbytes),
                simgpu_pointer_text(p).text,
                failure_place(pc, where, sizeof where), what, b.x, b.y, b.z,
                t.x, t.y, t.z,
                simgpu_heap_is_freed(p) ? FAULT_FREED : FAULT_INDEX,
                simgpu_site_text(l->site, launch, sizeof launch));
}
