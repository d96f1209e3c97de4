// sync_words.cuh: what lab/sync.cuh consists of on simgpu
//
// The runtime knows what a thread waits for, so the thread sleeps until then.
#ifndef COMMLAB_SYNC_WORDS_CUH
#define COMMLAB_SYNC_WORDS_CUH

static __forceinline__ unsigned sync_words_load_acquire(const unsigned *p)
{
    return (unsigned)simgpu_sync_load(p, sizeof *p, SIMGPU_ACQUIRE);
}

static __forceinline__ void sync_words_store_release(unsigned *p,
                                                     unsigned value)
{
    simgpu_sync_store(p, sizeof *p, value, SIMGPU_RELEASE);
}

static inline uint64_t sync_words_sum(uint64_t old, const void *n)
{
    return (unsigned)old + *(const unsigned *)n;
}

static __forceinline__ unsigned sync_words_add(unsigned *p, unsigned n)
{
    return (unsigned)simgpu_sync_update(p, sizeof *p, sync_words_sum, &n,
                                        SIMGPU_ACQUIRE | SIMGPU_RELEASE);
}

static __forceinline__ void sync_words_wait(const unsigned *p, unsigned value,
                                            bool equal)
{
    simgpu_sync_wait(p, sizeof *p, value, equal);
}

#endif
