/*
 * simnvcc: compiles CUDA C++ for the CPU, in place of nvcc
 *
 *     simnvcc -c kernel.cu -o kernel.o
 *     simnvcc a.cu b.cpp c.o -lm -o program
 *
 * Three steps for a .cu file: the host compiler preprocesses; rewrite.c turns
 * launches and dynamic shared memory into C++; the host compiler compiles the
 * result, with every memory access announced through the __tsan_ hooks that
 * simgpu's runtime defines (no thread sanitizer is linked). Other files go to
 * the host compiler as they are. The command line is nvcc's (options.h).
 *
 *     --no-constructors    nothing of the object runs before main: its kernels
 *                          are in a table of the program's (simgpu/kernel.h);
 *                          and memcpy() and its like count as accesses of
 *                          device code. Needs objcopy.
 */
#define _GNU_SOURCE
#include <errno.h>    /* errno */
#include <limits.h>   /* PATH_MAX */
#include <stdio.h>    /* fprintf */
#include <stdlib.h>   /* mkdtemp */
#include <string.h>   /* strcmp */
#include <sys/wait.h> /* waitpid */
#include <unistd.h>   /* execvp */

#include "arch.h"
#include "base/temp.h"
#include "division.h"
#include "foreign.h"
#include "inline.h"
#include "options.h"
#include "rewrite.h"

static struct options o = {.cxx = "g++"};
static char prefix[PATH_MAX]; /* of this simgpu */
static char temp[64];         /* removed at exit */

/* ---- commands and files -------------------------------------------------- */

static void show(const struct args *a)
{
    fprintf(stderr, "#$ ");
    for (int i = 0; i < a->n; i++)
        fprintf(stderr, strpbrk(a->v[i], " \"()") ? "\"%s\" " : "%s ", a->v[i]);
    fprintf(stderr, "\n");
}

/* Run a command; its exit status. */
static int run(struct args *a)
{
    a->v[a->n] = NULL;
    if (o.verbose)
        show(a);
    if (o.dry_run)
        return 0;
    const pid_t pid = fork();
    if (pid == 0) {
        execvp(a->v[0], (char *const *)a->v);
        fprintf(stderr, "simnvcc: %s: %s\n", a->v[0], strerror(errno));
        _exit(127);
    }
    int status = 1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *format(const char *a, const char *b)
{
    char *text;
    if (asprintf(&text, "%s%s", a, b) < 0)
        abort();
    return text;
}

static void remove_temp(void)
{
    struct args a = {{"rm", "-rf", temp}, 3};
    o.verbose = o.dry_run = 0;
    run(&a);
}

static char *read_all(const char *path)
{
    FILE *const f = fopen(path, "re");
    char *text = NULL;
    size_t nbytes = 0;
    if (f && getdelim(&text, &nbytes, '\0', f) < 0)
        text = strdup("");
    if (f)
        fclose(f);
    return text;
}

static const char *file_name(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name of a path with another ending, in a folder. */
static char *renamed(const char *folder, const char *path, const char *ending)
{
    const char *const name = file_name(path);
    const char *const dot = strrchr(name, '.');
    char *text;
    if (asprintf(&text, "%s%s%.*s%s", folder, *folder ? "/" : "",
                 dot ? (int)(dot - name) : (int)strlen(name), name, ending) < 0)
        abort();
    return text;
}

/* A path with another ending. */
static char *beside(const char *path, const char *ending)
{
    const char *const dot = strrchr(path, '.'), *const slash =
                                                    strrchr(path, '/');
    char *text;
    if (asprintf(&text, "%.*s%s",
                 dot > slash ? (int)(dot - path) : (int)strlen(path), path,
                 ending) < 0)
        abort();
    return text;
}

/* ---- what a file is ------------------------------------------------------ */

static int ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int is_cuda(const char *path)
{
    if (o.language && path[0] != '-' && !ends_with(path, ".o"))
        return !strcmp(o.language, "cu") || !strcmp(o.language, "cuda");
    return ends_with(path, ".cu");
}

static int is_c(const char *path)
{
    return o.language ? !strcmp(o.language, "c") : ends_with(path, ".c");
}

static int is_source(const char *path)
{
    static const char *const endings[] = {".c", ".cc", ".cpp", ".cxx", ".c++",
                                          ".C", ".s",  ".S",   ".ii",  ".i"};
    if (path[0] == '-')
        return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i]))
            return 1;
    return is_cuda(path) || (o.language && is_c(path));
}

/* ---- a .cu file ---------------------------------------------------------- */

static void add_preprocessing(struct args *a, const char *source)
{
    static const char *const words[] = {"-D__SIMNVCC__",
                                        "-D__NVCC__",
                                        "-D__CUDACC__",
                                        "-D__CUDACC_VER_MAJOR__=13",
                                        "-D__CUDACC_VER_MINOR__=0",
                                        "-D__CUDACC_VER_BUILD__=48",
                                        "-D__CUDA_ARCH_LIST__=900"};
    args_add(a, o.cxx);
    args_append(a, &o.both);
    if (o.std)
        args_add(a, o.std);
    args_add(a, is_cuda(source) ? "-xc++" : is_c(source) ? "-xc" : "-xc++");
    if (is_cuda(source)) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            args_add(a, words[i]);
        if (o.relocatable)
            args_add(a, "-D__CUDACC_RDC__");
        if (o.no_constructors) // device.h asks while it is preprocessed
            args_add(a, "-DSIMGPU_NO_CONSTRUCTORS");
    }
    args_append(a, &o.preprocess);
    args_add(a, format("-I", format(prefix, "/include")));
    if (is_cuda(source)) {
        args_add2(a, "-include", "cuda_runtime.h");
        // left for rewrite.c to see
        args_add2(a, "-include", "simgpu/rewritten.h");
    }
    args_append(a, &o.include);
}

static void add_dependencies(struct args *a, const char *object)
{
    if (!o.depend)
        return;
    args_add(a, "-MD");
    args_append(a, &o.targets);
    if (o.targets.n == 0)
        args_add2(a, "-MT", object);
    args_add2(a, "-MF", o.dep_file ? o.dep_file : beside(object, ".d"));
    if (o.phony)
        args_add(a, "-MP");
}

static int preprocess(const char *source, const char *object, const char *to,
                      const char *more)
{
    struct args a = {{0}, 0};
    add_preprocessing(&a, source);
    args_add(&a, "-E");
    if (more)
        args_add(&a, more);
    else
        add_dependencies(&a, object);
    args_add(&a, source);
    args_add2(&a, "-o", to);
    return run(&a);
}

/* The preprocessed text as both host and device see it (arch.h). */
static char *both_views(const char *source, const char *host_path)
{
    char *const host = read_all(host_path);
    char *const device_path = format(host_path, ".device");
    if (!host || !arch_matters(host) ||
        preprocess(source, "", device_path, "-D__CUDA_ARCH__=900") != 0)
        return host;
    char *const merged = arch_merge(host_path, device_path);
    free(host);
    return merged;
}

/* Say which header of a toolkit the text has, if any. */
static int has_foreign(const char *source, const char *text)
{
    char *const header = foreign_header(text, format(prefix, "/include"));
    if (header)
        fprintf(stderr,
                "simnvcc: error: %s: simgpu has no <%s>: %s is a CUDA "
                "toolkit's, and does not go with simgpu's headers\n",
                source, strrchr(header, '/') + 1, header);
    free(header);
    return header != NULL;
}

static int rewrite_file(const char *source, const char *from, const char *to)
{
    if (o.dry_run)
        return 0;
    char *const text = both_views(source, from);
    FILE *const out = fopen(to, "we");
    if (!text || !out) {
        fprintf(stderr, "simnvcc: %s: %s\n", temp, strerror(errno));
        return 1;
    }
    const int foreign = has_foreign(source, text);
    char *const wrong = foreign ? NULL : rewrite(text, out);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    free(text);
    return fclose(out) != 0 || wrong || foreign;
}

/*
 * Announce all accesses, volatile ones as such. clang leaves out a read before
 * a write of the same bytes, since races don't need it; but it moves bytes.
 */
static void add_accesses(struct args *a)
{
    args_add(a, "-fsanitize=thread");
    // the accesses of an object for -flto would be announced at link time, by a
    // command that does not say so
    args_add(a, "-fno-lto");
#if defined(__x86_64__) // elsewhere it looks like a call by pointer (calls.h)
    args_add(a, "-fno-plt"); // an access calls without a detour
#endif
    // a launch has the lines of the calls around it, too (core/site.c)
    args_add(a, "-fno-omit-frame-pointer");
    if (strstr(o.cxx, "clang")) {
        args_add2(a, "-mllvm", "-tsan-distinguish-volatile=1");
        args_add2(a, "-mllvm", "-tsan-instrument-read-before-write=1");
    } else {
        args_add(a, "--param=tsan-distinguish-volatile=1");
        args_add(a, "--param=tsan-instrument-func-entry-exit=0");
        // what a fault's message names is the line of the instruction
        args_add(a, "-fno-schedule-insns2");
        // a call of the runtime returns to its own line
        args_add(a, "-fno-optimize-sibling-calls");
    }
}

/* Functions that become simgpu's (device/access.c), which announce what they
 * touch; and that the compiler is not to replace by code of its own. */
static const char *const announced[] = {"memcpy", "memmove", "memset",
                                        "memcmp"};
enum { NANNOUNCED = sizeof announced / sizeof *announced };

/* Make an object ours. The thread sanitizer's constructor, of that priority,
 * calls an empty function. */
static int finish_object(const char *object)
{
    struct args a = {{"objcopy", "--remove-section=.init_array.00099",
                      "--remove-section=.rela.init_array.00099"},
                     3};
    for (int i = 0; i < NANNOUNCED; i++) {
        char *const both = format(announced[i], "=simgpu_");
        args_add(&a, format("--redefine-sym=", format(both, announced[i])));
    }
    args_add(&a, object);
    return run(&a);
}

/* True if the compiler's assembly is text that inline.h knows. */
static int may_inline(void)
{
    for (int i = 0; i < o.both.n; i++)
        if (!strncmp(o.both.v[i], "-masm=", 6))
            return 0;
    return !strstr(o.cxx, "clang");
}

/* g++'s thread sanitizer announces no store of a structure that a call returns,
 * and a call that is not inlined would leave it unrecorded: graded code may
 * make none. Returns 0 if it does not. */
static int refuse_calls(const struct calls *calls)
{
    struct call_place at;
    if (!o.no_constructors ||
        !calls_not_inlined(calls, format(prefix, "/include/"), &at))
        return 0;
    fprintf(stderr,
            "%s:%d: error: a kernel calls a function %s\n%s:%d: note: not all "
            "that it writes would be recorded. %s\n",
            at.file, at.line,
            at.by_pointer ? "through a pointer, or a virtual one"
                          : "that is not inlined: does it call itself?",
            at.file, at.line,
            at.by_pointer ? "Call it by its name, or take it as a template's "
                            "parameter"
                          : "Write a loop instead");
    return 1;
}

/* Write the compiler's assembly, changed as its processor needs it. */
static void change(const char *assembly, const struct calls *calls, FILE *out)
{
#ifdef __aarch64__
    (void)calls;
    trap_divisions(assembly, out);
#else
    inline_accesses(assembly, calls, out);
#endif
}

static int change_file(const char *from, const char *to)
{
    char *const text = read_all(from);
    struct calls *const calls = text ? calls_read(text) : NULL;
    int status = calls ? refuse_calls(calls) : 0;
    FILE *const out = calls && !status ? fopen(to, "we") : NULL;
    if (out)
        change(text, calls, out);
    if (!status && (!out || fclose(out) != 0)) {
        fprintf(stderr, "simnvcc: %s: %s\n", to, strerror(errno));
        status = 1;
    }
    calls_free(calls);
    free(text);
    return status;
}

/* Assemble, with accesses inlined or divisions that trap. */
static int assemble(const char *from, const char *to)
{
    struct args a = {{o.cxx}, 1};
    char *const changed = renamed(temp, from, ".changed.s");
    const int status = o.dry_run ? 0 : change_file(from, changed);
    unlink(from);
    if (status)
        return status;
    for (int i = 0; i < o.both.n; i++)
        if (!strncmp(o.both.v[i], "-Wa,", 4))
            args_add(&a, o.both.v[i]);
    args_add(&a, "-c");
    args_add(&a, changed);
    args_add2(&a, "-o", to);
    const int assembled = run(&a);
    unlink(changed);
    return assembled;
}

static int compile_rewritten(const char *from, const char *to)
{
    struct args a = {{0}, 0};
    const int inlines = may_inline();
    char *const assembly = renamed(temp, from, ".raw.s");
    args_add(&a, o.cxx);
    args_append(&a, &o.both);
    if (o.std)
        args_add(&a, o.std);
    add_accesses(&a);
    // As nvcc does, inline what kernels call: g++'s thread sanitizer announces
    // no store of a structure that a call returns.
    args_add(&a, "-DSIMGPU_GLOBAL=__attribute__((flatten, noinline))");
    args_add(&a, "-fno-semantic-interposition"); // functions in a -fPIC object
    args_add(&a, "-DSIMGPU_DEVICE=");
    args_add(&a, "-DSIMGPU_HOST=");
    args_add(&a, "-DSIMGPU_SHARED=static thread_local");
    for (int i = 0; i < NANNOUNCED && o.no_constructors; i++)
        args_add(&a, format("-fno-builtin-", announced[i]));
    args_add(&a, "-Wno-unknown-pragmas");
    if (inlines)
        args_add2(&a, "-include", format(prefix, "/include/simgpu/inlined.h"));
    args_add(&a, inlines ? "-S" : "-c");
    args_add2(&a, "-x", "c++");
    args_add(&a, from);
    args_add2(&a, "-o", inlines ? assembly : to);
    int status = run(&a);
    if (status == 0 && inlines)
        status = assemble(assembly, to);
    return status || !o.no_constructors ? status : finish_object(to);
}

/* Rewritten C++ only, or an object. */
static int compile_cuda(const char *source, const char *object)
{
    char *const pre = renamed(temp, source, ".pre.ii");
    char *const out = renamed(temp, source, ".out.ii");
    int status = preprocess(source, object, pre, NULL);
    if (status == 0)
        status = rewrite_file(source, pre, o.mode == MODE_CUDA ? object : out);
    if (status == 0 && o.mode != MODE_CUDA)
        status = compile_rewritten(out, object);
    unlink(pre);
    unlink(out);
    return status;
}

/* ---- other files --------------------------------------------------------- */

static int compile_host(const char *source, const char *object)
{
    struct args a = {{0}, 0};
    const char *const std = o.std;
    if (is_c(source) && std && strstr(std, "++"))
        o.std = NULL;
    add_preprocessing(&a, source);
    o.std = std;
    add_dependencies(&a, object);
    args_add(&a, "-c");
    args_add(&a, source);
    args_add2(&a, "-o", object);
    return run(&a);
}

static int compile(const char *source, const char *object)
{
    return is_cuda(source) ? compile_cuda(source, object)
                           : compile_host(source, object);
}

/* -E, -M: the compiler's own output. */
static int show_source(const char *source)
{
    struct args a = {{0}, 0};
    add_preprocessing(&a, source);
    args_add(&a, o.mode == MODE_PREPROCESS      ? "-E"
                 : strcmp(o.mode_option, "-MM") ? "-M"
                                                : "-MM");
    if (o.mode != MODE_PREPROCESS)
        args_append(&a, &o.targets);
    if (o.phony)
        args_add(&a, "-MP");
    args_add(&a, source);
    if (o.output || o.dep_file)
        args_add2(&a, "-o", o.output ? o.output : o.dep_file);
    return run(&a);
}

/* ---- linking ------------------------------------------------------------- */

/* CUDA's libraries that a program names but does not need here, or that are
 * not there. */
static int link_library(struct args *a, const char *arg)
{
    static const char *const none[] = {"-lcudadevrt",     "-lcudart",
                                       "-lcudart_static", "-lnvToolsExt",
                                       "-lculibos",       "-lnvshmem_device"};
    static const char *const missing[] = {
        "cusolver", "cusparse", "nvrtc",       "cudnn",  "nvjpeg",
        "cupti",    "npp",      "nvml",        "cufftw", "nvshmem",
        "nvblas",   "cutensor", "nvJitLink",   "cufile", "cudss",
        "nvvm",     "nvfatbin", "nvtx3interop"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (!strcmp(arg, none[i]))
            return 0;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        char *path = NULL;
        if (strncmp(arg + 2, missing[i], strlen(missing[i])) != 0 ||
            asprintf(&path, "%s/lib/lib%s.so", prefix, arg + 2) < 0)
            continue;
        const int there = access(path, R_OK) == 0;
        free(path);
        if (there)
            break;
        fprintf(stderr,
                "simnvcc: error: simgpu has no lib%s: the program needs a GPU "
                "and CUDA for it (%s)\n",
                arg + 2, arg);
        return 1;
    }
    args_add(a, arg);
    return 0;
}

/* The program's own calls of these read modelled time (core/host_clock.c). */
static void add_clocks(struct args *a)
{
    static const char *const clocks[] = {"clock_gettime",
                                         "timespec_get",
                                         "gettimeofday",
                                         "_ZNSt6chrono3_V212steady_clock3nowEv",
                                         "_ZNSt6chrono3_V212system_clock3nowEv",
                                         "omp_get_wtime",
                                         "nanosleep",
                                         "clock_nanosleep",
                                         "usleep",
                                         "sleep",
                                         "pthread_cond_timedwait",
                                         "pthread_cond_clockwait"};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        args_add(a, format("-Wl,--wrap=", clocks[i]));
}

/* Before all other libraries: libcudart has MPI's functions, too, and the
 * program's calls are to find these before MPICH's. */
static void add_runtime(struct args *a)
{
    args_add(a, format("-L", format(prefix, "/lib")));
    args_add(a, format("-Wl,-rpath,", format(prefix, "/lib")));
    args_add(a, "-Wl,--push-state,--no-as-needed");
    args_add(a, "-lcudart");
    args_add(a, "-Wl,--pop-state");
}

/* Linkers leave out a library that nothing needs, as MPICH seems to be where
 * libcudart has all of MPI that a program calls: libcudart needs MPICH. */
static void keep_mpi(struct args *a, const struct args *objects)
{
    int mpi = !strncmp(file_name(o.cxx), "mpi", 3);
    for (int i = 0; i < objects->n && !mpi; i++)
        mpi = !strncmp(objects->v[i], "-lmpi", 5) ||
              !strncmp(file_name(objects->v[i]), "libmpi", 6);
    if (mpi)
        args_add(a, "-Wl,--no-as-needed");
}

static int link_program(struct args *objects, const char *output)
{
    struct args a = {{0}, 0};
    args_add(&a, o.cxx);
    args_append(&a, &o.both);
    if (o.verbose) // CMake reads the linker's folders from it
        args_add(&a, "-v");
    add_runtime(&a);
    keep_mpi(&a, objects);
    args_append(&a, &o.link);
    for (int i = 0; i < objects->n; i++)
        if (!strncmp(objects->v[i], "-l", 2)) {
            if (link_library(&a, objects->v[i]))
                return 1;
        } else {
            args_add(&a, objects->v[i]);
        }
    add_clocks(&a);
    args_add(&a, "-pthread");
    args_add2(&a, "-o", output);
    return run(&a);
}

/*
 * CMake links by itself: with the program of the last line that holds what
 * LIBRARIES= said. That has to be simnvcc, which knows where its libraries are
 * at run time, and wraps the clocks.
 */
static const char *libraries(void)
{
    return format("-L", format(prefix, "/bin/../lib"));
}

static void show_linker(const struct args *objects, const char *output)
{
    struct args a = {{format(prefix, "/bin/simnvcc")}, 1};
    args_append(&a, objects);
    args_add(&a, libraries());
    args_add(&a, "-lcudart");
    args_add2(&a, "-o", output);
    show(&a);
}

static int archive(struct args *objects, const char *output)
{
    struct args a = {{"ar", "rcs", output}, 3};
    args_append(&a, objects);
    return run(&a);
}

/* An object without contents, for build rules that link device code. */
static int device_link(void)
{
    struct args a = {{o.cxx}, 1};
    args_append(&a, &o.both);
    args_add2(&a, "-x", "c++");
    args_add(&a, "-c");
    args_add(&a, "/dev/null");
    args_add2(&a, "-o", o.output ? o.output : "a_dlink.o");
    return run(&a);
}

/* ---- the whole ----------------------------------------------------------- */

/* PREFIX of PREFIX/bin/simnvcc. */
static void find_prefix(void)
{
    const ssize_t n = readlink("/proc/self/exe", prefix, sizeof prefix - 1);
    prefix[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2; i++) {
        char *const slash = strrchr(prefix, '/');
        if (slash)
            *slash = 0;
    }
}

static int compile_each(void)
{
    int status = 0;
    for (int i = 0; i < o.inputs.n && status == 0; i++) {
        const char *const in = o.inputs.v[i];
        if (!is_source(in))
            continue;
        const char *const ending = o.mode == MODE_CUDA ? ".cu.cpp.ii" : ".o";
        status = compile(
            in, o.output ? o.output
                         : renamed(o.folder ? o.folder : "", in, ending));
    }
    return status;
}

/* Compile the sources to temporary objects, and link or archive all. */
static int build(void)
{
    struct args objects = {{0}, 0};
    int status = 0;
    for (int i = 0; i < o.inputs.n && status == 0; i++) {
        const char *const in = o.inputs.v[i];
        char number[16];
        if (!is_source(in)) {
            args_add(&objects, in);
            continue;
        }
        snprintf(number, sizeof number, ".%d.o", i);
        char *const object = renamed(temp, in, number);
        status = compile(in, object);
        args_add(&objects, object);
    }
    if (status)
        return status;
    if (o.mode == MODE_ARCHIVE)
        return archive(&objects, o.output ? o.output : "a.a");
    const char *const output = o.output ? o.output : "a.out";
    if (o.verbose)
        show_linker(&objects, output);
    status = link_program(&objects, output);
    if (status == 0 && o.run) {
        struct args a = {{strchr(output, '/') ? output : format("./", output)},
                         1};
        status = run(&a);
    }
    return status;
}

/* -ptx, -cubin, -fatbin: a shared library of each source, for cuModuleLoad()
 * (driver/module.c), named after the option. */
static int make_images(void)
{
    const char *const ending =
        format(".", o.mode_option + strspn(o.mode_option, "-"));
    int status = 0;
    args_add(&o.both, "-fPIC");
    args_add(&o.link, "-shared");
    for (int i = 0; i < o.inputs.n && status == 0; i++) {
        const char *const in = o.inputs.v[i];
        if (!is_source(in))
            continue;
        struct args object = {{renamed(temp, in, ".o")}, 1};
        status = compile(in, object.v[0]);
        if (status == 0)
            status = link_program(
                &object, o.output
                             ? o.output
                             : renamed(o.folder ? o.folder : "", in, ending));
    }
    return status;
}

/* What build systems ask; the version is that of the headers. */
static int answer(void)
{
    if (strstr(o.mode_option, "list"))
        puts(strstr(o.mode_option, "code") ? "sm_90" : "compute_90");
    else if (strstr(o.mode_option, "h") && !strstr(o.mode_option, "v"))
        puts(
            "usage: simnvcc [options] file... [-o output]\n\n"
            "simnvcc compiles CUDA C++ for the CPU, to run on simgpu. It takes "
            "nvcc's\noptions; those that only a GPU's code needs have no "
            "effect. Others go to the\nhost compiler (-ccbin, g++).");
    else // CMake looks for the first line
        puts("nvcc: NVIDIA (R) Cuda compiler driver, or what stands in for it\n"
             "simnvcc: CUDA C++ for the CPU, part of commlab's simgpu\n"
             "Cuda compilation tools, release 13.0, V13.0.48");
    return 0;
}

static int do_mode(void)
{
    int status = 0;
    switch (o.mode) {
    case MODE_COMPILE:
    case MODE_CUDA: return compile_each();
    case MODE_PREPROCESS:
    case MODE_DEPENDENCIES:
        for (int i = 0; i < o.inputs.n && status == 0; i++)
            if (is_source(o.inputs.v[i]))
                status = show_source(o.inputs.v[i]);
        return status;
    case MODE_DLINK: return device_link();
    case MODE_IMAGE: return make_images();
    default: return build();
    }
}

/* Several sources cannot become one object. */
static int one_output(void)
{
    int nsources = 0;
    for (int i = 0; i < o.inputs.n; i++)
        nsources += is_source(o.inputs.v[i]);
    return (o.mode != MODE_COMPILE && o.mode != MODE_IMAGE) || !o.output ||
           nsources < 2;
}

int main(int argc, char **argv)
{
    find_prefix();
    options_read(&o, argc, argv);
    if (o.mode == MODE_ASK)
        return answer();
    if (o.mode == MODE_DEVICE) {
        fprintf(stderr,
                "simnvcc: error: %s makes code for GPUs. simnvcc makes code "
                "for the CPU: use -c, or nvcc\n",
                o.mode_option);
        return EXIT_USAGE;
    }
    if (o.inputs.n == 0) {
        fprintf(stderr, "usage: simnvcc [-c] [options] file.cu [-o output]\n");
        return EXIT_USAGE;
    }
    if (!one_output()) {
        fprintf(stderr, "simnvcc: error: -o names one file, but there are "
                        "several sources to compile\n");
        return EXIT_USAGE;
    }
    if (!mkdtemp(temp_path(temp, sizeof temp, "simnvcc"))) {
        fprintf(stderr, "simnvcc: %s: %s\n", temp, strerror(errno));
        return 1;
    }
    if (o.verbose)
        fprintf(stderr,
                "#$ TOP=%s\n#$ INCLUDES=\"-I%s/include\"\n#$ LIBRARIES=%s\n"
                "#$ -arch compute_90\n",
                prefix, prefix, libraries());
    const int status = do_mode();
    remove_temp();
    return status;
}
