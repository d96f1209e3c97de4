/*
 * allow.c: what an object may import
 */
#include "grader/vet/allow.h"

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

/*
 * The APIs that labs are about. MPI is limited to the calls that simgpu
 * records: bytes that travel in any other call could not be told from results.
 */
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
/* Further calls that simgpu records. */
static const char *const apis_recorded[] = {
    "MPI_Isend",    "MPI_Irecv",     "MPI_Iprobe",    "MPI_Initialized",
    "MPI_Ibarrier", "MPI_Send_init", "MPI_Recv_init", NULL};

/* Functions that would access device memory without a record if a
 * kernel called them. */
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

/* libm. Each name is also allowed with the suffixes f and l. Includes the
 * variants that -ffast-math calls. */
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

/* What device code consists of (simgpu/kernel.h), functions for its memory, and
 * the parts of the C++ library that neither read files nor print. */
static const char *const device[] = {
    "__tsan_*",
    "__ubsan_handle_type_mismatch_v1",
    "simgpu_*", // only its headers may name these: tokens.c
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
    "__libc_single_threaded", // used by std::shared_ptr
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
