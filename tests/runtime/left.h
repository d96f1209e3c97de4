/*
 * left.h: what a function leaves behind, of the host's memory, of descriptors
 * and of a GPU's memory
 */
#ifndef COMMLAB_TESTS_LEFT_H
#define COMMLAB_TESTS_LEFT_H

#include <cuda_runtime.h>
#include <dirent.h>
#include <malloc.h> /* mallinfo2 */

#ifndef LEFT_HEAP /* or in another measure */
static long bytes_held(void)
{
    const struct mallinfo2 m = mallinfo2();
    return (long)(m.uordblks + m.hblkhd);
}
#define LEFT_HEAP bytes_held
#endif

struct left {
    long heap, files, gpu;
};

static struct left now(void)
{
    size_t free, total;
    struct left l = {0, 0, 0};
    DIR *const fds = opendir("/proc/self/fd");
    while (fds && readdir(fds))
        l.files++;
    if (fds)
        closedir(fds);
    cudaMemGetInfo(&free, &total);
    l.heap = LEFT_HEAP();
    l.gpu = (long)(total - free);
    return l;
}

static long min_of(long a, long b)
{
    return a < b ? a : b;
}

/* To the nearest: a thread may free something of the rounds before these, or of
 * these a moment later. */
static long per_round(long left, int each)
{
    return (left + (left < 0 ? -each : each) / 2) / each;
}

/* What each round leaves behind. Tables may grow in some rounds; a leak does in
 * all of them. */
static struct left left_by(void (*round)(void), int each)
{
    enum { TIMES = 6 };
    struct left least = {1 << 30, 1 << 30, 1 << 30};
    for (int i = 0; i < each; i++)
        round();
    for (int t = 0; t < TIMES; t++) {
        const struct left before = now();
        for (int i = 0; i < each; i++)
            round();
        const struct left after = now();
        least.heap =
            min_of(least.heap, per_round(after.heap - before.heap, each));
        least.files =
            min_of(least.files, per_round(after.files - before.files, each));
        least.gpu = min_of(least.gpu, after.gpu - before.gpu);
    }
    return least;
}

#endif
