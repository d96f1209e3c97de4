// sync_words.cuh: the implementation of lab/sync.cuh on real GPUs (sm_70 and
// up)
#ifndef COMMLAB_SYNC_WORDS_CUH
#define COMMLAB_SYNC_WORDS_CUH

static __device__ __forceinline__ unsigned
sync_words_load_acquire(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                 : "=r"(value)
                 : "l"(p)
                 : "memory");
    return value;
}

static __device__ __forceinline__ void sync_words_store_release(unsigned *p,
                                                                unsigned value)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;"
                 :
                 : "l"(p), "r"(value)
                 : "memory");
}

static __device__ __forceinline__ unsigned sync_words_add(unsigned *p,
                                                          unsigned n)
{
    unsigned old;
    asm volatile("atom.acq_rel.sys.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(p), "r"(n)
                 : "memory");
    return old;
}

static __device__ __forceinline__ void
sync_words_wait(const unsigned *p, unsigned value, bool equal)
{
    for (;;) {
        const unsigned seen = sync_words_load_acquire(p);
        if (equal ? seen == value : seen >= value)
            return;
    }
}

#endif
