/*
 * unwaited.h: managed and pinned memory that host code uses meanwhile
 *
 * Until the host has waited for a kernel, the kernel may write any managed or
 * pinned memory, or read what the host writes. Device code and the host code of
 * a .cu file are compiled alike, so host code's accesses call the hooks of
 * device/hooks.c, too. While the calling thread has work pending, those to such
 * memory are recorded as accesses of the host. The check for hazards, which
 * knows what each kernel has touched, then decides as for any others:
 *
 *     host      launch K   [ p[7] ]   cudaDeviceSynchronize   p[7]
 *     stream        \__ K writes p[7] __/
 *                         a race                              in order
 *
 * Not recorded: accesses of the C library, of code that another compiler has
 * compiled, to __managed__ variables, and volatile or atomic ones, by which a
 * program may wait for a kernel's signal.
 */
#ifndef SIMGPU_CORE_STREAM_UNWAITED_H
#define SIMGPU_CORE_STREAM_UNWAITED_H

#include <stddef.h>

#include "core/stream/fence.h"

/* Not 0 if host code's accesses may have to be recorded. Hooks read it without
 * a lock. */
extern int unwaited_any __attribute__((visibility("hidden")));

/* The calling thread has enqueued work. */
void unwaited_issued(struct fence f);

/* A host thread has waited for this fence. */
void unwaited_joined(struct fence f);

/* The calling thread has enqueued a host function, which may tell it that its
 * work so far is complete. */
void unwaited_excuse(void);

/* Host code reads or writes (enum graph_touch) these bytes at pc. */
void unwaited_touch(const void *p, size_t nbytes, int how, const void *pc);

/* Record what the calling thread has touched so far. */
void unwaited_flush(void);

#endif
