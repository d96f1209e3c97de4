/*
 * allow_advice.c: what to use instead of refused names
 */
#include <fnmatch.h> /* fnmatch */
#include <stddef.h>  /* size_t */

#include "grader/vet/allow.h"

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
    {"umask", "print with printf(): a lab writes no files"},
    {"open_memstream", "format with snprintf()"},
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
    {"*.h", "put what is yours into the lab's own files; for the rest there "
            "are the headers of C, C++ and the labs' APIs"},
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
