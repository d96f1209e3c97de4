#define _GNU_SOURCE
#include "compile.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <unistd.h> /* unlink */

#include "arch.h"
#include "division.h"
#include "foreign.h"
#include "inline.h"
#include "rewrite.h"

/* ---- a .cu file ---------------------------------------------------------- */

static void add_preprocessing(const struct task *t, struct args *a,
                              const char *source)
{
    static const char *const words[] = {"-D__SIMNVCC__",
                                        "-D__NVCC__",
                                        "-D__CUDACC__",
                                        "-D__CUDACC_VER_MAJOR__=13",
                                        "-D__CUDACC_VER_MINOR__=0",
                                        "-D__CUDACC_VER_BUILD__=48",
                                        "-D__CUDA_ARCH_LIST__=900"};
    args_add(a, t->o.cxx);
    args_append(a, &t->o.both);
    if (t->o.std)
        args_add(a, t->o.std);
    args_add(a, file_is_cuda(t, source) ? "-xc++"
                : file_is_c(t, source)  ? "-xc"
                                        : "-xc++");
    if (file_is_cuda(t, source)) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            args_add(a, words[i]);
        if (t->o.relocatable)
            args_add(a, "-D__CUDACC_RDC__");
        if (t->o.no_constructors) // device.h asks while it is preprocessed
            args_add(a, "-DSIMGPU_NO_CONSTRUCTORS");
    }
    args_append(a, &t->o.preprocess);
    args_add(a, text_join("-I", text_join(t->prefix, "/include")));
    if (file_is_cuda(t, source)) {
        args_add2(a, "-include", "cuda_runtime.h");
        // left for rewrite.c to see
        args_add2(a, "-include", "simgpu/rewritten.h");
    }
    args_append(a, &t->o.include);
}

static void add_dependencies(const struct task *t, struct args *a,
                             const char *object)
{
    if (!t->o.depend)
        return;
    args_add(a, "-MD");
    args_append(a, &t->o.targets);
    if (t->o.targets.n == 0)
        args_add2(a, "-MT", object);
    args_add2(a, "-MF",
              t->o.dep_file ? t->o.dep_file : file_beside(object, ".d"));
    if (t->o.phony)
        args_add(a, "-MP");
}

static int preprocess(const struct task *t, const char *source,
                      const char *object, const char *to, const char *more)
{
    struct args a = {{0}, 0};
    add_preprocessing(t, &a, source);
    args_add(&a, "-E");
    if (more)
        args_add(&a, more);
    else
        add_dependencies(t, &a, object);
    args_add(&a, source);
    args_add2(&a, "-o", to);
    return task_run(t, &a);
}

/* The preprocessed text as both host and device see it (arch.h). */
static char *both_views(const struct task *t, const char *source,
                        const char *host_path)
{
    char *const host = file_read(host_path);
    char *const device_path = text_join(host_path, ".device");
    if (!host || !arch_matters(host) ||
        preprocess(t, source, "", device_path, "-D__CUDA_ARCH__=900") != 0)
        return host;
    char *const merged = arch_merge(host_path, device_path);
    free(host);
    return merged;
}

/* Say which header of a toolkit the text has, if any. */
static int has_foreign(const struct task *t, const char *source,
                       const char *text)
{
    char *const header = foreign_header(text, text_join(t->prefix, "/include"));
    if (header)
        fprintf(stderr,
                "simnvcc: error: %s: simgpu has no <%s>: %s is a CUDA "
                "toolkit's, and does not go with simgpu's headers\n",
                source, strrchr(header, '/') + 1, header);
    free(header);
    return header != NULL;
}

static int rewrite_file(const struct task *t, const char *source,
                        const char *from, const char *to)
{
    if (t->o.dry_run)
        return 0;
    char *const text = both_views(t, source, from);
    FILE *const out = fopen(to, "we");
    if (!text || !out) {
        fprintf(stderr, "simnvcc: %s: %s\n", t->temp, strerror(errno));
        return 1;
    }
    const int foreign = has_foreign(t, source, text);
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
static void add_accesses(const struct task *t, struct args *a)
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
    if (strstr(t->o.cxx, "clang")) {
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
static int finish_object(const struct task *t, const char *object)
{
    struct args a = {{"objcopy", "--remove-section=.init_array.00099",
                      "--remove-section=.rela.init_array.00099"},
                     3};
    for (int i = 0; i < NANNOUNCED; i++) {
        char *const both = text_join(announced[i], "=simgpu_");
        args_add(&a,
                 text_join("--redefine-sym=", text_join(both, announced[i])));
    }
    args_add(&a, object);
    return task_run(t, &a);
}

/* True if the compiler's assembly is text that inline.h knows. */
static int may_inline(const struct task *t)
{
    for (int i = 0; i < t->o.both.n; i++)
        if (!strncmp(t->o.both.v[i], "-masm=", 6))
            return 0;
    return !strstr(t->o.cxx, "clang");
}

/* g++'s thread sanitizer announces no store of a structure that a call returns,
 * and a call that is not inlined would leave it unrecorded: graded code may
 * make none. Returns 0 if it does not. */
static int refuse_calls(const struct task *t, const struct calls *calls)
{
    struct call_place at;
    if (!t->o.no_constructors ||
        !calls_not_inlined(calls, text_join(t->prefix, "/include/"), &at))
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

static int change_file(const struct task *t, const char *from, const char *to)
{
    char *const text = file_read(from);
    struct calls *const calls = text ? calls_read(text) : NULL;
    int status = calls ? refuse_calls(t, calls) : 0;
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
static int assemble(const struct task *t, const char *from, const char *to)
{
    struct args a = {{t->o.cxx}, 1};
    char *const changed = file_renamed(t->temp, from, ".changed.s");
    const int status = t->o.dry_run ? 0 : change_file(t, from, changed);
    unlink(from);
    if (status)
        return status;
    for (int i = 0; i < t->o.both.n; i++)
        if (!strncmp(t->o.both.v[i], "-Wa,", 4))
            args_add(&a, t->o.both.v[i]);
    args_add(&a, "-c");
    args_add(&a, changed);
    args_add2(&a, "-o", to);
    const int assembled = task_run(t, &a);
    unlink(changed);
    return assembled;
}

static int compile_rewritten(const struct task *t, const char *from,
                             const char *to)
{
    struct args a = {{0}, 0};
    const int inlines = may_inline(t);
    char *const assembly = file_renamed(t->temp, from, ".raw.s");
    args_add(&a, t->o.cxx);
    args_append(&a, &t->o.both);
    if (t->o.std)
        args_add(&a, t->o.std);
    add_accesses(t, &a);
    // As nvcc does, inline what kernels call: g++'s thread sanitizer announces
    // no store of a structure that a call returns.
    args_add(&a, "-DSIMGPU_GLOBAL=__attribute__((flatten, noinline))");
    args_add(&a, "-fno-semantic-interposition"); // functions in a -fPIC object
    args_add(&a, "-DSIMGPU_DEVICE=");
    args_add(&a, "-DSIMGPU_HOST=");
    args_add(&a, "-DSIMGPU_SHARED=static thread_local");
    for (int i = 0; i < NANNOUNCED && t->o.no_constructors; i++)
        args_add(&a, text_join("-fno-builtin-", announced[i]));
    args_add(&a, "-Wno-unknown-pragmas");
    if (inlines)
        args_add2(&a, "-include",
                  text_join(t->prefix, "/include/simgpu/inlined.h"));
    args_add(&a, inlines ? "-S" : "-c");
    args_add2(&a, "-x", "c++");
    args_add(&a, from);
    args_add2(&a, "-o", inlines ? assembly : to);
    int status = task_run(t, &a);
    if (status == 0 && inlines)
        status = assemble(t, assembly, to);
    return status || !t->o.no_constructors ? status : finish_object(t, to);
}

/* Rewritten C++ only, or an object. */
static int compile_cuda(const struct task *t, const char *source,
                        const char *object)
{
    char *const pre = file_renamed(t->temp, source, ".pre.ii");
    char *const out = file_renamed(t->temp, source, ".out.ii");
    int status = preprocess(t, source, object, pre, NULL);
    if (status == 0)
        status =
            rewrite_file(t, source, pre, t->o.mode == MODE_CUDA ? object : out);
    if (status == 0 && t->o.mode != MODE_CUDA)
        status = compile_rewritten(t, out, object);
    unlink(pre);
    unlink(out);
    return status;
}

/* ---- other files --------------------------------------------------------- */

static int compile_host(struct task *t, const char *source, const char *object)
{
    struct args a = {{0}, 0};
    const char *const std = t->o.std;
    if (file_is_c(t, source) && std && strstr(std, "++"))
        t->o.std = NULL;
    add_preprocessing(t, &a, source);
    t->o.std = std;
    add_dependencies(t, &a, object);
    args_add(&a, "-c");
    args_add(&a, source);
    args_add2(&a, "-o", object);
    return task_run(t, &a);
}

int compile_file(struct task *t, const char *source, const char *object)
{
    return file_is_cuda(t, source) ? compile_cuda(t, source, object)
                                   : compile_host(t, source, object);
}

int compile_show(const struct task *t, const char *source)
{
    struct args a = {{0}, 0};
    add_preprocessing(t, &a, source);
    args_add(&a, t->o.mode == MODE_PREPROCESS      ? "-E"
                 : strcmp(t->o.mode_option, "-MM") ? "-M"
                                                   : "-MM");
    if (t->o.mode != MODE_PREPROCESS)
        args_append(&a, &t->o.targets);
    if (t->o.phony)
        args_add(&a, "-MP");
    args_add(&a, source);
    if (t->o.output || t->o.dep_file)
        args_add2(&a, "-o", t->o.output ? t->o.output : t->o.dep_file);
    return task_run(t, &a);
}
