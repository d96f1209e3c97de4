/*
 * builtins.h: the compiler's own copies and comparisons, as calls
 *
 * Headers of the C++ library write __builtin_memmove() for std::copy(), and the
 * like. Where g++ replaces that by inline code, it inserts no hook for what the
 * code touches. For graded code, simnvcc includes this before device code: each
 * becomes a call, which records what it touches or is refused (simnvcc/
 * callable.h). A copy of the size of a scalar is a load and a store, which have
 * their hooks.
 */
#ifndef SIMGPU_BUILTINS_H
#define SIMGPU_BUILTINS_H

#define SIMGPU_CALL(result, name, ...)                                         \
    extern "C" result simgpu_builtin_##name(__VA_ARGS__) noexcept __asm__(     \
        #name);

SIMGPU_CALL(void *, memcpy, void *, const void *, __SIZE_TYPE__)
SIMGPU_CALL(void *, memmove, void *, const void *, __SIZE_TYPE__)
SIMGPU_CALL(void *, memset, void *, int, __SIZE_TYPE__)
SIMGPU_CALL(int, memcmp, const void *, const void *, __SIZE_TYPE__)
SIMGPU_CALL(void *, memchr, const void *, int, __SIZE_TYPE__)
SIMGPU_CALL(__SIZE_TYPE__, strlen, const char *)
SIMGPU_CALL(int, strcmp, const char *, const char *)
SIMGPU_CALL(char *, strchr, const char *, int)
SIMGPU_CALL(char *, strrchr, const char *, int)
SIMGPU_CALL(char *, strpbrk, const char *, const char *)
SIMGPU_CALL(char *, strstr, const char *, const char *)
#undef SIMGPU_CALL

#define SIMGPU_IS_SCALAR(n)                                                    \
    (__builtin_constant_p(n) &&                                                \
     ((n) == 1 || (n) == 2 || (n) == 4 || (n) == 8 || (n) == 16))
#define __builtin_memcpy(to, from, n)                                          \
    (SIMGPU_IS_SCALAR(n) ? __builtin_memcpy(to, from, n)                       \
                         : simgpu_builtin_memcpy(to, from, n))
#define __builtin_memmove(to, from, n)                                         \
    (SIMGPU_IS_SCALAR(n) ? __builtin_memmove(to, from, n)                      \
                         : simgpu_builtin_memmove(to, from, n))
#define __builtin_memset(to, value, n)                                         \
    (SIMGPU_IS_SCALAR(n) ? __builtin_memset(to, value, n)                      \
                         : simgpu_builtin_memset(to, value, n))
#define __builtin_strlen(text)                                                 \
    (__builtin_constant_p(__builtin_strlen(text))                              \
         ? __builtin_strlen(text)                                              \
         : simgpu_builtin_strlen(text))
#define __builtin_memcmp  simgpu_builtin_memcmp
#define __builtin_memchr  simgpu_builtin_memchr
#define __builtin_strcmp  simgpu_builtin_strcmp
#define __builtin_strchr  simgpu_builtin_strchr
#define __builtin_strrchr simgpu_builtin_strrchr
#define __builtin_strpbrk simgpu_builtin_strpbrk
#define __builtin_strstr  simgpu_builtin_strstr

#endif
