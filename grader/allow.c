#include "allow.h"

#include <fnmatch.h> /* fnmatch */
#include <stddef.h>  /* size_t */
#include <string.h>  /* strncmp */

int allow_matches(const char *name, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return 1;
    return 0;
}

/* ---- imports ------------------------------------------------------------- */

/* The APIs that labs are about. Of MPI only what simgpu records: bytes that
 * travel in any other call could not be told from results. */
static const char *const apis[] = {
    "cuda[A-Z]*", "cu[A-Z]*", "cublas*",         "nccl*",      "nvtx*",
    "MPI_*",      "lab_hole", "lab_device_hole", "lab_note_*", NULL};
static const char *const apis_refused[] = {"MPI_Win_*",
                                           "MPI_Put",
                                           "MPI_Rput",
                                           "MPI_Get",
                                           "MPI_Rget",
                                           "MPI_*ccumulate",
                                           "MPI_*etch_and_op",
                                           "MPI_Compare_and_swap",
                                           "MPI_File_*",
                                           "MPI_I[abegrs]*",
                                           "MPI_Neighbor_*",
                                           "MPI_Ineighbor_*",
                                           "MPI_*_init",
                                           "MPI_Alltoallw",
                                           "MPI_Comm_spawn*",
                                           "MPI_Comm_accept",
                                           "MPI_Comm_connect",
                                           "MPI_Comm_join",
                                           "MPI_Open_port",
                                           "MPI_*ublish_name",
                                           "MPI_Lookup_name",
                                           "MPI_Alloc_mem",
                                           "MPI_T_*",
                                           "MPI_Pcontrol",
                                           "MPI_Init*",
                                           "MPI_Finalize",
                                           NULL};
/* Of those, what simgpu records all the same. */
static const char *const apis_recorded[] = {
    "MPI_Isend",    "MPI_Irecv",     "MPI_Iprobe",    "MPI_Initialized",
    "MPI_Ibarrier", "MPI_Send_init", "MPI_Recv_init", NULL};

/* What would touch device memory without a record, if a kernel called it. */
static const char *const device_refused[] = {
    "mempcpy", "memccpy", "memchr",  "bzero",   "bcmp",   "str?cpy*", "strcpy",
    "strcat",  "str?cat", "strncat", "str?dup", "strdup", NULL};

/* The C library: memory, strings, mathematics, printing, time, threads. */
static const char *const host[] = {"malloc",
                                   "calloc",
                                   "realloc",
                                   "reallocarray",
                                   "free",
                                   "aligned_alloc",
                                   "posix_memalign",
                                   "memalign",
                                   "alloca",
                                   "mem[cms]*",
                                   "__mem*_chk",
                                   "__str*_chk",
                                   "__*printf_chk",
                                   "mempcpy",
                                   "memrchr",
                                   "stp*cpy",
                                   "__stp*_chk",
                                   "str[cnlrsptd]*",
                                   "bcmp",
                                   "bzero",
                                   "strtol",
                                   "strto*",
                                   "ato[ifl]",
                                   "atoll",
                                   "__isoc*_str*",
                                   "__isoc99_sscanf",
                                   "__isoc23_sscanf",
                                   "sscanf",
                                   "is[a-z]*",
                                   "to[lu]*er",
                                   "__ctype_*",
                                   "qsort",
                                   "qsort_r",
                                   "bsearch",
                                   "abs",
                                   "labs",
                                   "llabs",
                                   "div",
                                   "ldiv",
                                   "lldiv",
                                   "rand",
                                   "srand",
                                   "rand_r",
                                   "random",
                                   "srandom",
                                   "?rand48",
                                   "printf",
                                   "fprintf",
                                   "vprintf",
                                   "vfprintf",
                                   "sprintf",
                                   "snprintf",
                                   "vsnprintf",
                                   "vsprintf",
                                   "asprintf",
                                   "vasprintf",
                                   "puts",
                                   "fputs",
                                   "putchar",
                                   "putc",
                                   "fputc",
                                   "fwrite",
                                   "fflush",
                                   "perror",
                                   "stdout",
                                   "stderr",
                                   "ferror",
                                   "setbuf",
                                   "setvbuf",
                                   "strerror",
                                   "strerror_r",
                                   "__xpg_strerror_r",
                                   "__errno_location",
                                   "__assert_fail",
                                   "assert",
                                   "exit",
                                   "abort",
                                   "_Exit",
                                   "getenv",
                                   "secure_getenv",
                                   "time",
                                   "clock",
                                   "clock_gettime",
                                   "clock_getres",
                                   "gettimeofday",
                                   "difftime",
                                   "localtime*",
                                   "gmtime*",
                                   "strftime",
                                   "timespec_get",
                                   "nanosleep",
                                   "clock_nanosleep",
                                   "usleep",
                                   "sleep",
                                   "sched_yield",
                                   "getpid",
                                   "gethostname",
                                   "sysconf",
                                   "sched_getcpu",
                                   "pthread_[a-z]*",
                                   "__pthread_*",
                                   "sem_init",
                                   "sem_post",
                                   "sem_wait",
                                   "sem_trywait",
                                   "sem_timedwait",
                                   "sem_destroy",
                                   "sem_getvalue",
                                   "thrd_*",
                                   "mtx_*",
                                   "cnd_*",
                                   "tss_*",
                                   "call_once",
                                   "__tls_get_addr",
                                   "_GLOBAL_OFFSET_TABLE_",
                                   "__stack_chk_fail",
                                   "__popcount*",
                                   "__atomic_*",
                                   "__sync_*",
                                   "__aarch64_cas*",
                                   "__aarch64_swp*",
                                   "__aarch64_ld*",
                                   "__udivti3",
                                   "__umodti3",
                                   "__divti3",
                                   "__modti3",
                                   "__*[sdtx][fi]*[23]",
                                   "__mul?c3",
                                   "__div?c3",
                                   "fesetround",
                                   "fegetround",
                                   "feclearexcept",
                                   "fetestexcept",
                                   "nn_*",
                                   NULL};
static const char *const host_refused[] = {"pthread_kill*", "pthread_atfork",
                                           "pthread_sigqueue", NULL};

/* libm, each also with the suffixes f and l; and the variants that
 * -ffast-math calls. */
static const char *const mathematics[] = {
    "acos",      "acosh",     "asin",      "asinh",      "atan",
    "atan2",     "atanh",     "cbrt",      "ceil",       "copysign",
    "cos",       "cosh",      "erf",       "erfc",       "exp",
    "exp2",      "exp10",     "expm1",     "fabs",       "fdim",
    "floor",     "fma",       "fmax",      "fmin",       "fmod",
    "frexp",     "hypot",     "ilogb",     "ldexp",      "lgamma",
    "llrint",    "llround",   "log",       "log10",      "log1p",
    "log2",      "logb",      "lrint",     "lround",     "modf",
    "nan",       "nearbyint", "nextafter", "nexttoward", "pow",
    "remainder", "remquo",    "rint",      "round",      "roundeven",
    "scalbln",   "scalbn",    "sin",       "sincos",     "sinh",
    "sqrt",      "tan",       "tanh",      "tgamma",     "trunc",
    "cabs",      "carg",      "cexp",      "cpow",       "conj",
    "creal",     "cimag",     "csqrt",     "clog",       "__fpclassify",
    "__isinf",   "__isnan",   "__finite",  "__signbit",  "j0",
    "j1",        "y0",        "y1",        NULL};

static int is_mathematics(const char *name)
{
    for (const char *const *m = mathematics; *m; m++) {
        const size_t n = strlen(*m);
        if (strncmp(name, *m, n) == 0 &&
            (!name[n] || ((name[n] == 'f' || name[n] == 'l') && !name[n + 1])))
            return 1;
    }
    return 0;
}

/* What device code is made of (simgpu/kernel.h), its memory's functions, and
 * the parts of the C++ library that neither read files nor print. */
static const char *const device[] = {
    "__tsan_*",
    "simgpu_*", // that only its headers name: tokens.c
    "__cuda*",
    "_Zn[wa]*",
    "_Zd[la]*",
    "_ZSt[0-9]*__throw_*",
    "_ZSt[0-9]*_Rb_tree_*",
    "_ZSt*_Hash_bytes*",
    "_ZSt9terminatev",
    "_ZSt7nothrow",
    "_ZSt*__once_call*",
    "_ZNSt6thread*",
    "_ZNKSt6thread*",
    "_ZNSt5mutex*",
    "_ZNSt18condition_variable*",
    "_ZNSt7__cxx1112basic_stringI*",
    "_ZNKSt7__cxx1112basic_stringI*",
    "_ZNSt7__cxx119to_string*",
    "_ZNSs*",
    "_ZNKSs*",
    "_ZNSt8__detail*",
    "_ZNKSt8__detail*",
    "_ZNSt6chrono*",
    "_ZNSt*exceptionD*",
    "_ZNSt*exceptionC*",
    "_ZNKSt*exception4what*",
    "_ZNSt*_error[CD]*",
    "_ZNKSt*_error4what*",
    "_ZNSt9bad_alloc*",
    "_ZNSt[0-9]*__exception_ptr*",
    "_ZT[ISV]*",
    "_ZTHN*",
    "__cxa_guard_*",
    "__cxa_*catch*",
    "__cxa_throw*",
    "__cxa_rethrow",
    "__cxa_*_exception",
    "__cxa_pure_virtual",
    "__cxa_atexit",
    "__cxa_bad_*",
    "__dso_handle",
    "__gxx_personality_v0",
    "_Unwind_Resume",
    "__once_proxy",
    "__libc_single_threaded", // of std::shared_ptr
    NULL};

int allow_import(const char *name, int is_device)
{
    if (allow_matches(name, apis))
        return !allow_matches(name, apis_refused) ||
               allow_matches(name, apis_recorded);
    if (is_device && allow_matches(name, device))
        return 1;
    if (is_device && allow_matches(name, device_refused))
        return 0;
    return (allow_matches(name, host) && !allow_matches(name, host_refused)) ||
           is_mathematics(name);
}

/* ---- source -------------------------------------------------------------- */

static const char *const headers[] = {
    // the labs' APIs
    "cuda*.h", "cublas*.h", "nccl.h", "mpi.h", "nvtx3/nvToolsExt.h",
    "driver_types.h", "vector_*.h", "library_types.h", "curand*.h",
    "cooperative_groups.h", "math_constants.h", "lab/try.h", "lab/hole.cuh",
    "lab/sync.cuh", "lab/vector.cuh", "nn/*.h",
    // C
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h",
    "inttypes.h", "iso646.h", "limits.h", "locale.h", "math.h", "setjmp.h",
    "signal.h", "stdalign.h", "stdarg.h", "stdatomic.h", "stdbool.h",
    "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h", "string.h",
    "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h",
    // POSIX: most of it is refused by its functions
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

/* The compiler's own words; and CUDA's for device code, where they are not
 * macros. */
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

/* ---- advice -------------------------------------------------------------- */

static const struct {
    const char *pattern, *instead;
} advice[] = {
    {"fopen*", "print with printf(): the output is kept"},
    {"fdopen", "print with printf(): the output is kept"},
    {"freopen*", "print with printf(): the output is kept"},
    {"open", "print with printf(): the output is kept"},
    {"write", "print with printf()"},
    {"dprintf", "print with fprintf(stderr, ...)"},
    {"fread*", "labs have no input: a case gives its data as arguments"},
    {"fget*", "labs have no input: a case gives its data as arguments"},
    {"getc*", "labs have no input: a case gives its data as arguments"},
    {"getline", "labs have no input: a case gives its data as arguments"},
    {"stdin", "labs have no input: a case gives its data as arguments"},
    {"*scanf", "labs have no input: a case gives its data as arguments"},
    {"fclose", "print with printf(): the output is kept"},
    {"_exit", "return an error code, or call exit()"},
    {"quick_exit", "return an error code, or call exit()"},
    {"setenv", "pass it as an argument"},
    {"putenv", "pass it as an argument"},
    {"backtrace*", "a crash is shown with its lines anyway"},
    {"popen", "write it in C"},
    {"vfork", "start a thread with pthread_create()"},
    {"syscall", "call the C library's function"},
    {"thrust/*", "write a kernel for it"},
    {"cub/*", "write a kernel for it"},
    {"a raw string", "write it in quotes, with \\n and \\\""},
    {"iostream", "print with printf() of <cstdio>"},
    {"fstream", "print with printf() of <cstdio>"},
    {"sstream", "format with snprintf() of <cstdio>"},
    {"_ZNSt8ios_base*", "print with printf() of <cstdio>"},
    {"_ZSt*cout", "print with printf() of <cstdio>"},
    {"signal", "return an error code instead of raising a signal"},
    {"sigaction", "return an error code instead of raising a signal"},
    {"raise", "return an error code, or call abort()"},
    {"kill", "return an error code, or call abort()"},
    {"atexit", "release what you hold before your function returns"},
    {"on_exit", "release what you hold before your function returns"},
    {"*longjmp*", "return an error code instead"},
    {"*setjmp*", "return an error code instead"},
    {"mmap*", "take memory from malloc() or cudaMalloc()"},
    {"shm_open", "take memory from malloc() or cudaMalloc()"},
    {"fork", "start a thread with pthread_create()"},
    {"std::*", "use a local object"},
    {"system", "write it in C"},
    {"MPI_I*", "use the blocking call, or MPI_Isend() and MPI_Irecv()"},
    {"MPI_Win_*", "use MPI_Send() and MPI_Recv()"},
    {"MPI_*", "labs use MPI's messages and blocking collectives"},
    {"dl*", "the labs' libraries are already linked"},
    {"asm", "write it in C"},
    {"__asm*", "write it in C"},
    {"*intrin.h", "write it in C; the compiler vectorises loops"},
    {"arm_neon.h", "write it in C; the compiler vectorises loops"},
    {"lab/*", "lab/try.h has what a lab's code needs"},
    {"judge/*", "the lab's own header has what its code needs"},
    {"graph/*", "the lab's own header has what its code needs"},
    {"base/*", "the lab's own header has what its code needs"},
    {"*.h", "C, C++ and the labs' APIs have headers for what is needed"},
    {"line", "leave the numbering of lines to the compiler"},
    {"import", "use #include with guards, or #pragma once"},
    {"include_next", "use #include"},
    {"__builtin_*", "call the function without __builtin_"},
    {"constructor", "call the function from the lab's functions"},
    {"destructor", "call the function from the lab's functions"},
    {"no_sanitize*", "simgpu has to see what device code reads and writes"},
    {"__real_*", "call the function by its own name"},
    {"__wrap_*", "call the function by its own name"},
    {"__*", "names with two underscores belong to the compiler: rename it"},
    {"_[A-Z]*", "names like this belong to the compiler: rename it"},
};

const char *allow_instead(const char *name)
{
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        if (fnmatch(advice[i].pattern, name, 0) == 0)
            return advice[i].instead;
    return "";
}
