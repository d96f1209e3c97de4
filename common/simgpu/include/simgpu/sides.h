/*
 * sides.h: what clang has to know when it reads a program as CUDA
 *
 * simnvcc includes it first. The functions of the C library that a GPU has are
 * declared for device code as well; the others are the host's.
 */
#define SIMGPU_ON_DEVICE __attribute__((device))
#define SIMGPU_ON_BOTH   __attribute__((host, device))

struct dim3;
extern "C" {
SIMGPU_ON_BOTH int cudaConfigureCall(dim3, dim3, unsigned long = 0, void * = 0);
SIMGPU_ON_BOTH int __cudaPushCallConfiguration(dim3, dim3, unsigned long = 0,
                                               void * = 0);

SIMGPU_ON_DEVICE int printf(const char *, ...);
SIMGPU_ON_DEVICE void __assert_fail(const char *, const char *, unsigned,
                                    const char *);
SIMGPU_ON_DEVICE void *malloc(unsigned long);
SIMGPU_ON_DEVICE void free(void *);
SIMGPU_ON_DEVICE void *memcpy(void *, const void *, unsigned long);
SIMGPU_ON_DEVICE void *memset(void *, int, unsigned long);
SIMGPU_ON_DEVICE long clock();
SIMGPU_ON_DEVICE int abs(int);
SIMGPU_ON_DEVICE long labs(long);
SIMGPU_ON_DEVICE long long llabs(long long);
}

SIMGPU_ON_DEVICE void *operator new(unsigned long);
SIMGPU_ON_DEVICE void *operator new[](unsigned long);
SIMGPU_ON_DEVICE void operator delete(void *) noexcept;
SIMGPU_ON_DEVICE void operator delete[](void *) noexcept;
SIMGPU_ON_DEVICE void operator delete(void *, unsigned long) noexcept;
SIMGPU_ON_DEVICE void operator delete[](void *, unsigned long) noexcept;
SIMGPU_ON_DEVICE inline void operator delete(void *, void *) noexcept {}
SIMGPU_ON_DEVICE inline void operator delete[](void *, void *) noexcept {}
SIMGPU_ON_DEVICE inline void *operator new(unsigned long, void *p) noexcept
{
    return p;
}
SIMGPU_ON_DEVICE inline void *operator new[](unsigned long, void *p) noexcept
{
    return p;
}
