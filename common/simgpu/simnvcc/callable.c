#include "callable.h"

#include <fnmatch.h> /* fnmatch */
#include <stdio.h>   /* snprintf */
#include <string.h>  /* strlen */

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* True if name is the text, or the text followed by one of these endings. */
static int is_one(const char *name, size_t n, const char *text,
                  const char *endings)
{
    const size_t length = strlen(text);
    return n >= length && memcmp(name, text, length) == 0 &&
           (n == length || (n == length + 1 && strchr(endings, name[length])));
}

static int is_in(const char *name, size_t n, const char *const *list,
                 size_t nlist, const char *endings)
{
    for (size_t i = 0; i < nlist; i++)
        if (is_one(name, n, list[i], endings))
            return 1;
    return 0;
}

/* libm's functions, each also with the ending f or l. */
static const char *const mathematics[] = {
    "acos",  "acosh",     "asin",      "asinh", "atan",      "atan2",   "atanh",
    "cbrt",  "ceil",      "copysign",  "cos",   "cosh",      "erf",     "erfc",
    "exp",   "exp10",     "exp2",      "expm1", "fabs",      "fdim",    "floor",
    "fma",   "fmax",      "fmin",      "fmod",  "frexp",     "hypot",   "ilogb",
    "j0",    "j1",        "jn",        "ldexp", "llrint",    "llround", "log",
    "log10", "log1p",     "log2",      "logb",  "lrint",     "lround",  "modf",
    "nan",   "nearbyint", "nextafter", "pow",   "remainder", "remquo",  "rint",
    "round", "scalbln",   "scalbn",    "sin",   "sincos",    "sinh",    "sqrt",
    "tan",   "tanh",      "tgamma",    "trunc", "y0",        "y1",      "yn"};

int callable_is_harmless(const char *name, size_t n)
{
    static const char *const others[] = {
        "__tls_get_addr", "memcpy",
        "memmove",        "memset",
        "memcmp",         "simgpu_memcpy",
        "simgpu_memmove", "simgpu_memset",
        "simgpu_memcmp",  "__divti3",
        "__modti3",       "__udivti3",
        "__umodti3",      "simgpu_dynamic_shared"};
    return is_in(name, n, others, COUNT(others), "") ||
           is_in(name, n, mathematics, COUNT(mathematics), "fl");
}

/* What compilers and the C++ library call for code that looks at no memory, and
 * what a GPU has functions of that name for. */
static const char *const allowed[] = {
    // simgpu, and the hooks of accesses
    "simgpu_*", "__tsan_*", "__ubsan_handle_type_mismatch*",
    // CUDA's functions that kernels may call; the kit's
    "cuda[A-Z]*", "__cuda*", "nvshmem*", "lab_device_hole",
    // memory
    "malloc", "free", "_Zn[wa]*", "_Zd[la]*",
    // output, and the end of the program
    "printf", "vprintf", "puts", "putchar", "__printf_chk", "__vprintf_chk",
    "__assert_fail", "abort", "exit",
    // integers and time
    "abs", "labs", "llabs", "div", "ldiv", "lldiv", "clock",
    // further mathematics
    "lgamma", "lgammaf", "logbl", "ilogbl", "nexttoward*", "roundeven*",
    "scalb*", "cabs*", "carg*", "cexp*", "cpow*", "conj*", "creal*", "cimag*",
    "csqrt*", "clog*", "__fpclassify*", "__isinf*", "__isnan*", "__finite*",
    "__signbit*",
    // arithmetic that a processor has no instruction for
    "__*[sdtx][fi]*[23]", "__extend*[23]", "__trunc*[23]", "__mul?c3",
    "__div?c3", "__pow?[fi]*[23]",
    // exceptions, initialised static variables
    "_ZSt*__throw_*", "_ZSt9terminatev", "__cxa_*", "_Unwind_Resume",
    "__stack_chk_fail"};

int callable_is_allowed(const char *name, size_t n)
{
    char whole[256];
    if (n >= sizeof whole)
        return 0;
    if (callable_is_harmless(name, n))
        return 1;
    snprintf(whole, sizeof whole, "%.*s", (int)n, name);
    for (size_t i = 0; i < COUNT(allowed); i++)
        if (fnmatch(allowed[i], whole, 0) == 0)
            return 1;
    return 0;
}

const char *callable_instead(const char *name, size_t n)
{
    static const struct {
        const char *pattern, *instead;
    } advice[] = {
        {"mempcpy", "Call memcpy()"},
        {"bcopy", "Call memmove()"},
        {"bzero", "Call memset()"},
        {"bcmp", "Call memcmp()"},
        {"*printf*", "Call printf()"},
        {"fput*", "Call printf()"},
        {"fwrite", "Call printf()"},
        {"perror", "Call printf()"},
        {"nan*", "Call it with a literal, as in nan(\"\")"},
        {"calloc", "Call malloc()"},
        {"realloc", "Call malloc()"},
        {"qsort*", "Write a loop instead"},
        {"bsearch", "Write a loop instead"},
        {"mem*", "Write a loop instead"},
        {"st[rp]*", "Write a loop instead"},
        {"MPI_*", "Call it on the host"},
        {"nccl*", "Call it on the host"},
        {"cublas*", "Call it on the host"},
        {"_ZS*", "Write it with operators and functions of <math.h>"},
        {"_ZNS*", "Write it with operators and functions of <math.h>"},
        {"_ZNKS*", "Write it with operators and functions of <math.h>"},
        {"_Z*", "Define it in this file, or in a header as inline"}};
    char whole[256];
    snprintf(whole, sizeof whole, "%.*s", (int)n, name);
    for (size_t i = 0; i < COUNT(advice); i++)
        if (fnmatch(advice[i].pattern, whole, 0) == 0)
            return advice[i].instead;
    return "Call it on the host, or write a loop instead";
}
