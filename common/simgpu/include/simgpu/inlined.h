/*
 * inlined.h: tells the compiler which registers an access's hook changes
 *
 * simnvcc includes this before device code. g++ inserts a call before each
 * access, and would save all registers that a function may change. In the
 * assembly, simnvcc replaces each call by a comparison and a call of a function
 * that preserves all registers but rax and rsi (inline.h). g++ allocates
 * registers by what a function that it has already compiled changes (-fipa-ra).
 * The functions below, which are never called, therefore change just these two.
 * The mark tells simnvcc that the code is for x86-64 and for a program, in
 * which thread-local memory has fixed offsets.
 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    (!defined(__PIC__) || defined(__PIE__))
#pragma GCC system_header
__asm__("# simgpu inlines accesses");
/* Registers wider than xmm are not preserved, nor are the masks. */
#ifdef __AVX512F__
#define SIMGPU_WIDE                                                            \
    , "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",  \
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", \
        "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",         \
        "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",         \
        "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#elif defined(__AVX__)
#define SIMGPU_WIDE                                                            \
    , "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",  \
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
#else
#define SIMGPU_WIDE
#endif
/* Its own hook call becomes a comparison, too. */
#define SIMGPU_ANNOUNCED(name)                                                 \
    extern "C" __attribute__((                                                 \
        noinline, used, no_reorder,                                            \
        no_sanitize("thread"))) void __builtin___tsan_##name(void *p)          \
    {                                                                          \
        __asm__ volatile("call\t*__tsan_" #name "@GOTPCREL(%%rip)"             \
                         :                                                     \
                         : "D"(p)                                              \
                         : "rax", "rsi", "cc", "memory" SIMGPU_WIDE);          \
    }
SIMGPU_ANNOUNCED(read1)
SIMGPU_ANNOUNCED(read2)
SIMGPU_ANNOUNCED(read4)
SIMGPU_ANNOUNCED(read8)
SIMGPU_ANNOUNCED(read16)
SIMGPU_ANNOUNCED(write1)
SIMGPU_ANNOUNCED(write2)
SIMGPU_ANNOUNCED(write4)
SIMGPU_ANNOUNCED(write8)
SIMGPU_ANNOUNCED(write16)
#undef SIMGPU_ANNOUNCED
/* The handler of accesses that are not aligned (device/aligned.h). */
extern "C"
    __attribute__((noinline, used, no_reorder, no_sanitize("thread"))) void
    __builtin___ubsan_handle_type_mismatch_v1(void *data, void *p)
{
    void *pc = __builtin_return_address(0);
    __asm__ volatile("call\t*simgpu_mismatch_at@GOTPCREL(%%rip)"
                     : "+S"(p), "+a"(pc)
                     : "D"(data)
                     : "cc", "memory" SIMGPU_WIDE);
}
#undef SIMGPU_WIDE
#endif
