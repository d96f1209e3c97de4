/*
 * allow_source.c: what a source may contain: headers, attributes, pragmas,
 * directives, reserved identifiers
 */
#include <stddef.h> /* NULL */
#include <string.h> /* strstr */

#include "grader/vet/allow.h"

static const char *const headers[] = {
    // the labs' APIs
    "cuda*.h", "cublas*.h", "nccl.h", "nccl_device.h", "mpi.h",
    "nvtx3/nvToolsExt.h", "driver_types.h", "vector_*.h", "library_types.h",
    "curand*.h", "cooperative_groups.h", "math_constants.h", "lab/try.h",
    "lab/hole.cuh", "lab/multimem.cuh", "lab/sync.cuh", "lab/vector.cuh",
    "nn/*.h",
    // C
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h",
    "inttypes.h", "iso646.h", "limits.h", "locale.h", "math.h", "setjmp.h",
    "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h",
    "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h",
    // POSIX: most functions of these headers are refused
    "alloca.h", "malloc.h", "memory.h", "pthread.h", "sched.h", "semaphore.h",
    "strings.h", "sys/*.h", "unistd.h", "fcntl.h", "values.h", "getopt.h",
    "poll.h", "dirent.h", "dlfcn.h", "execinfo.h", "ucontext.h", "libgen.h",
    // C++
    "algorithm", "any", "array", "atomic", "bit", "bitset", "cassert", "cctype",
    "cerrno", "cfenv", "cfloat", "charconv", "chrono", "cinttypes", "climits",
    "clocale", "cmath", "compare", "complex", "concepts", "condition_variable",
    "csetjmp", "csignal", "cstdarg", "cstddef", "cstdint", "cstdio", "cstdlib",
    "cstring", "ctime", "cuchar", "cwchar", "cwctype", "deque", "exception",
    "forward_list", "functional", "initializer_list", "iosfwd", "iterator",
    "limits", "list", "map", "memory", "mutex", "new", "numbers", "numeric",
    "optional", "queue", "random", "ranges", "ratio", "scoped_allocator", "set",
    "shared_mutex", "span", "stack", "stdexcept", "string", "string_view",
    "system_error", "thread", "tuple", "type_traits", "typeindex", "typeinfo",
    "unordered_map", "unordered_set", "utility", "valarray", "variant",
    "vector", NULL};

int allow_header(const char *name)
{
    return !strstr(name, "..") && name[0] != '/' &&
           allow_matches(name, headers);
}

static const char *const attributes[] = {"aligned",
                                         "alloc_size",
                                         "always_inline",
                                         "assume_aligned",
                                         "cleanup",
                                         "cold",
                                         "const",
                                         "deprecated",
                                         "fallthrough",
                                         "flatten",
                                         "format",
                                         "format_arg",
                                         "gnu_inline",
                                         "hot",
                                         "leaf",
                                         "likely",
                                         "malloc",
                                         "maybe_unused",
                                         "may_alias",
                                         "no_unique_address",
                                         "nodiscard",
                                         "noinline",
                                         "nonnull",
                                         "noreturn",
                                         "nothrow",
                                         "packed",
                                         "pure",
                                         "returns_nonnull",
                                         "sentinel",
                                         "unlikely",
                                         "unused",
                                         "used",
                                         "vector_size",
                                         "warn_unused_result",
                                         "global",
                                         "device",
                                         "host",
                                         "shared",
                                         "constant",
                                         "launch_bounds",
                                         "carries_dependency",
                                         "transparent_union",
                                         NULL};

int allow_attribute(const char *name)
{
    return allow_matches(name, attributes);
}

static const char *const pragmas[] = {"once",
                                      "unroll*",
                                      "nounroll*",
                                      "GCC unroll*",
                                      "GCC ivdep",
                                      "STDC *",
                                      "GCC diagnostic *",
                                      "omp *",
                                      "pack*",
                                      "clang loop *",
                                      "clang diagnostic *",
                                      "nv_diag*",
                                      "diag_*",
                                      "message*",
                                      "GCC warning *",
                                      "GCC error *",
                                      "region*",
                                      "endregion*",
                                      "mark*",
                                      NULL};

int allow_pragma(const char *words)
{
    return allow_matches(words, pragmas);
}

static const char *const directives[] = {
    "include", "define", "undef",   "if",       "ifdef",
    "ifndef",  "elif",   "else",    "endif",    "error",
    "warning", "pragma", "elifdef", "elifndef", NULL};

int allow_directive(const char *name)
{
    return allow_matches(name, directives);
}

/* The compiler's own words, and CUDA's words for device code unless
 * they are macros. */
static const char *const reserved[] = {
    "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__restrict",
    "__restrict__", "__inline", "__inline__", "__const", "__const__",
    "__volatile", "__volatile__", "__signed", "__signed__", "__extension__",
    "__alignof", "__alignof__", "__typeof", "__typeof__", "__auto_type",
    "__attribute", "__attribute__", "__label__", "__thread", "__int128",
    "__int128_t", "__uint128_t", "__float128", "__null", "__real", "__imag",
    "__real__", "__imag__", "__complex__", "__va_copy", "__builtin_expect",
    "__builtin_clz*", "__builtin_ctz*", "__builtin_popcount*", "__builtin_ffs*",
    "__builtin_parity*", "__builtin_bswap*", "__builtin_unreachable",
    "__builtin_prefetch", "__builtin_constant_p", "__builtin_choose_expr",
    "__builtin_types_compatible_p", "__builtin_offsetof",
    "__builtin_*_overflow", "__builtin_assume*", "__builtin_trap",
    "__builtin_alloca", "__builtin_inf*", "__builtin_nan*", "__builtin_isnan",
    "__builtin_huge_val*", "__builtin_FILE", "__builtin_LINE",
    "__builtin_FUNCTION", "__builtin_fabs*", "__builtin_sqrt*",
    "__builtin_fma*", "__builtin_abs", "__builtin_min", "__builtin_max",
    "__builtin_va_*", "__builtin_is_constant_evaluated", "__atomic_*",
    "__ATOMIC_*", "__sync_*", "__is_*", "__has_*",
    // C and C++
    "_Alignas", "_Alignof", "_Atomic", "_Bool", "_BitInt", "_Complex",
    "_Float[0-9]*", "_Generic", "_Imaginary", "_Noreturn", "_Pragma",
    "_Static_assert", "_Thread_local", "_Decimal*", "_Exit",
    // CUDA
    "__global__", "__device__", "__host__", "__shared__", "__constant__",
    "__managed__", "__forceinline__", "__noinline__", "__launch_bounds__",
    "__align__", "__grid_constant__", "__maxnreg__", "__cluster_dims__",
    "__syncthreads*", "__syncwarp", "__threadfence*", "__shfl_*", "__ballot*",
    "__any*", "__all*", "__activemask", "__match_*", "__reduce_*", "__popc*",
    "__clz*", "__ffs*", "__brev*", "__ldg", "__ldc[agsv]", "__ldlu", "__stcg",
    "__stcs", "__stwb", "__stwt", "__nanosleep", "__trap", "__brkpt", "__half*",
    "__nv_*", "__f[a-z]*_r[nzud]", "__d[a-z]*_r[nzud]", "__[a-z]*2[a-z]*",
    "__*_as_*", "__exp*f", "__log*f", "__sinf", "__cosf", "__tanf", "__powf",
    "__fdividef", "__saturatef", "__umul*", "__mul*", "__sad", "__usad",
    "__byte_perm", "__vadd*", "__dp4a", "__dp2a*", "__funnelshift_*",
    "__isGlobal", "__h[a-z]*", "__low*", "__high*", "__lows*", "__assume",
    "__isShared", "__cvta_*", "__float_as*", NULL};

int allow_reserved(const char *name)
{
    return allow_matches(name, reserved);
}
