#define _GNU_SOURCE
#include "compile.h"

#include <errno.h>  /* errno */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strcmp */
#include <unistd.h> /* unlink */

#include "alignment.h"
#include "announced.h"
#include "arch.h"
#include "clang.h"
#include "direct.h"
#include "division.h"
#include "foreign.h"
#include "inline.h"
#include "oversize.h"
#include "refused.h"
#include "rewrite.h"
#include "unsupported.h"
#include "variables.h"

/* ---- compiling a .cu file ------------------------------------------------ */

void compile_preprocessing(const struct nvcc_task *t, struct nvcc_args *a,
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
        if (t->o.no_constructors) // simgpu's headers test this macro
            args_add(a, "-DSIMGPU_NO_CONSTRUCTORS");
    }
    args_append(a, &t->o.preprocess);
    args_add(a, text_join("-I", text_join(t->prefix, "/include")));
    if (file_is_cuda(t, source)) {
        args_add2(a, "-include", "cuda_runtime.h");
        // defines words that rewrite.c looks for
        args_add2(a, "-include", "simgpu/rewritten.h");
    }
    args_append(a, &t->o.include);
}

static void add_dependencies(const struct nvcc_task *t, struct nvcc_args *a,
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

static int preprocess(const struct nvcc_task *t, const char *source,
                      const char *object, const char *to, const char *more)
{
    struct nvcc_args a = {{0}, 0};
    compile_preprocessing(t, &a, source);
    args_add(&a, "-E");
    if (more)
        args_add(&a, more);
    else
        add_dependencies(t, &a, object);
    args_add(&a, source);
    args_add2(&a, "-o", to);
    return task_run(t, &a);
}

/* The preprocessed text, merged from the host's and the
 * device's view (arch.h). */
static char *both_views(const struct nvcc_task *t, const char *source,
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

/* Report the first header of a CUDA toolkit in the text, if there is one. */
static int has_foreign(const struct nvcc_task *t, const char *source,
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

/* Warn of host code that names device variables, unless with -w. Returns the
 * list of these variables, in C++. */
static char *read_variables(const struct nvcc_task *t, const char *text)
{
    char *list = NULL;
    size_t nbytes;
    FILE *const out = open_memstream(&list, &nbytes);
    FILE *warnings = stderr;
    for (int i = 0; i < t->o.both.n; i++)
        if (!strcmp(t->o.both.v[i], "-w"))
            warnings = NULL;
    char *const folder = text_join(t->prefix, "/include/");
    direct_read(text, folder, warnings, out);
    free(folder);
    if (!out || fclose(out) != 0)
        abort();
    return list;
}

static int rewrite_file(const struct nvcc_task *t, const char *source,
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
    char *wrong = NULL, *list = NULL;
    if (!foreign) {
        variables_write(text, out);
        list = read_variables(t, text);
    }
    if (!foreign)
        wrong = unsupported(
            text, args_have(&t->o.preprocess, "-D__CUDACC_EXTENDED_LAMBDA__"));
    if (!foreign && !wrong)
        wrong = rewrite(text, out, t->o.relocatable);
    if (!foreign && !wrong)
        fputs(list, out);
    free(list);
    if (wrong)
        fprintf(stderr, "%s\n", wrong);
    free(text);
    return fclose(out) != 0 || wrong || foreign;
}

/*
 * Have the compiler call hooks for all accesses, and separate ones for volatile
 * accesses. By default, clang omits the hook for a read that is followed by a
 * write of the same bytes, since races don't need it; but such a read moves
 * bytes. If `is_checked`, an address that is not aligned as its type is gets a
 * call, too.
 */
static void add_accesses(const struct nvcc_task *t, struct nvcc_args *a,
                         int is_checked)
{
    args_add(a, "-fsanitize=thread");
    if (is_checked) {
        args_add(a, "-fsanitize=alignment");
        args_add(a, "-fsanitize-recover=alignment");
    }
    // with -flto, hooks would be inserted at link time, by a command that lacks
    // these options
    args_add(a, "-fno-lto");
// elsewhere, calls.h would take it for a call through a pointer
#if defined(__x86_64__)
    args_add(a, "-fno-plt"); // hooks are called without a detour
#endif
    // a launch is reported with the lines of its callers, too (core/site.c)
    args_add(a, "-fno-omit-frame-pointer");
    if (strstr(t->o.cxx, "clang")) {
        args_add2(a, "-mllvm", "-tsan-distinguish-volatile=1");
        args_add2(a, "-mllvm", "-tsan-instrument-read-before-write=1");
    } else {
        args_add(a, "--param=tsan-distinguish-volatile=1");
        args_add(a, "--param=tsan-instrument-func-entry-exit=0");
        // a fault is reported at the line of its instruction
        args_add(a, "-fno-schedule-insns2");
        // a call of the runtime returns to its own line
        args_add(a, "-fno-optimize-sibling-calls");
        args_add(a, "-fno-tree-tail-merge");
        args_add(a, "-fno-crossjumping");
    }
}

/* Functions that are replaced by simgpu's, which record what they touch
 * (announced.h). */
static const char *const announced[] = {"memcpy", "memmove", "memset",
                                        "memcmp"};
/* Functions that graded device code may not call. The compiler must replace
 * none of either list with inline code, whose accesses have no hooks. */
static const char *const unannounced[] = {
    "bcmp",    "bcopy",   "bzero",   "index",      "memchr",  "mempcpy",
    "rindex",  "stpcpy",  "stpncpy", "strcasecmp", "strcat",  "strchr",
    "strcmp",  "strcpy",  "strcspn", "strdup",     "strlen",  "strncasecmp",
    "strncat", "strncmp", "strncpy", "strndup",    "strnlen", "strpbrk",
    "strrchr", "strspn",  "strstr"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_no_builtins(const struct nvcc_task *t, struct nvcc_args *a)
{
    args_add2(a, "-include",
              text_join(t->prefix, "/include/simgpu/builtins.h"));
    for (size_t i = 0; i < COUNT(announced); i++)
        args_add(a, text_join("-fno-builtin-", announced[i]));
    for (size_t i = 0; i < COUNT(unannounced); i++)
        args_add(a, text_join("-fno-builtin-", unannounced[i]));
}

/* Adapt an object: remove the thread sanitizer's constructor, which
 * has that priority and would call an empty function, and rename
 * the announced functions. */
static int finish_object(const struct nvcc_task *t, const char *object)
{
    struct nvcc_args a = {{"objcopy", "--remove-section=.init_array.00099",
                           "--remove-section=.rela.init_array.00099"},
                          3};
    for (size_t i = 0; i < COUNT(announced); i++) {
        char *const both = text_join(announced[i], "=simgpu_");
        args_add(&a,
                 text_join("--redefine-sym=", text_join(both, announced[i])));
    }
    args_add(&a, object);
    return task_run(t, &a);
}

/* True if the compiler writes assembly that inline.h understands. */
static int may_inline(const struct nvcc_task *t)
{
    for (int i = 0; i < t->o.both.n; i++)
        if (!strncmp(t->o.both.v[i], "-masm=", 6))
            return 0;
    return !strstr(t->o.cxx, "clang");
}

/* Write the compiler's assembly with the changes that
 * the processor requires. */
static void change(const char *assembly, const struct calls *calls, FILE *out)
{
#ifdef __aarch64__
    (void)calls;
    trap_divisions(assembly, out);
#else
    inline_accesses(assembly, calls, out);
#endif
}

/* True if the rewritten file needs the compiler's check of alignment. */
static int is_checked(const struct nvcc_task *t, const char *path)
{
    char *const text = t->o.dry_run ? NULL : file_read(path);
    char *const folder = text_join(t->prefix, "/include");
    const int matters = text && alignment_matters(text, folder);
    free(folder);
    free(text);
    return matters;
}

/* The compiler's command line for rewritten C++, up to its input and output.
 * `outside` is the condition under which the host's text of a function runs
 * that has one for each side (arch.h). */
static struct nvcc_args compiler(const struct nvcc_task *t, const char *from,
                                 const char *outside)
{
    struct nvcc_args a = {{0}, 0};
    args_add(&a, t->o.cxx);
    args_append(&a, &t->o.both);
    if (t->o.std)
        args_add(&a, t->o.std);
    add_accesses(t, &a, is_checked(t, from));
    // In device code, nvcc assumes of no two pointers that they differ because
    // their types do, and kernels read registers' arrays as a float4.
    args_add(&a, "-fno-strict-aliasing");
    // As nvcc does, inline what kernels call: g++'s thread sanitizer inserts no
    // hook for the store of a structure that a call returns.
    args_add(&a, "-DSIMGPU_GLOBAL=__attribute__((flatten, noinline))");
    // lets -fPIC objects inline functions
    args_add(&a, "-fno-semantic-interposition");
    args_add(&a, "-DSIMGPU_DEVICE=");
    args_add(&a, "-DSIMGPU_HOST=");
    args_add(&a, "-DSIMGPU_CONSTANT=");
    args_add(&a, "-DSIMGPU_MANAGED=");
    args_add(&a, text_join("-DSIMGPU_OUTSIDE=", outside));
    // g++ aligns thread-local arrays as their elements, but programs cast
    // arrays of floats to float4, and arrays begin where a GPU permits that
    args_add(&a, "-DSIMGPU_SHARED=static thread_local "
                 "__attribute__((aligned(16)))");
    if (t->o.no_constructors)
        add_no_builtins(t, &a);
    args_add(&a, "-Wno-unknown-pragmas");
    if (may_inline(t))
        args_add2(&a, "-include",
                  text_join(t->prefix, "/include/simgpu/inlined.h"));
    args_add(&a, may_inline(t) ? "-S" : "-c");
    args_add2(&a, "-x", "c++");
    return a;
}

/* ---- the compiler's assembly --------------------------------------------- */

/*
 * Report what graded code's kernels call and may not (refused.h). Returns 1 if
 * there is such a call. What the host's text calls in a function that has one
 * for each side is not a kernel's call: without that text, the compiler has to
 * write the call, too.
 */
static int refuse_calls(const struct nvcc_task *t, const char *from,
                        const struct calls *calls)
{
    const char *const folder = text_join(t->prefix, "/include/");
    if (!t->o.no_constructors || !refused_calls(calls, folder, 0))
        return 0;
    struct nvcc_args a = compiler(t, from, "0");
    char *const path = file_renamed(t->temp, from, ".device.s");
    args_add(&a, "-w"); // what the first compilation has said
    args_add(&a, from);
    args_add2(&a, "-o", path);
    const int status = task_run(t, &a);
    char *const text = status ? NULL : file_read(path);
    struct calls *const device = text ? calls_read(text) : NULL;
    const int found = !device || refused_calls(device, folder, 1);
    calls_free(device);
    free(text);
    unlink(path);
    return found;
}

/* Write the assembly with the changes that device code requires. */
static int change_file(const struct nvcc_task *t, const char *source,
                       const char *from, const char *assembly, const char *to)
{
    char *const text = file_read(assembly);
    struct calls *const calls = text ? calls_read(text) : NULL;
    int status = calls ? refuse_calls(t, from, calls) ||
                             oversize_report(text, source, stderr)
                       : 0;
    FILE *const out = calls && !status ? fopen(to, "we") : NULL;
    char *const renamed = out ? announced_rename(text) : NULL;
    if (out)
        change(renamed, calls, out);
    free(renamed);
    if (!status && (!out || fclose(out) != 0)) {
        fprintf(stderr, "simnvcc: %s: %s\n", to, strerror(errno));
        status = 1;
    }
    calls_free(calls);
    free(text);
    return status;
}

/* Assemble what the compiler wrote for `from`, which `source` became, with
 * inlined accesses or trapping divisions. */
static int assemble(const struct nvcc_task *t, const char *source,
                    const char *from, const char *assembly, const char *to)
{
    struct nvcc_args a = {{t->o.cxx}, 1};
    char *const changed = file_renamed(t->temp, assembly, ".changed.s");
    const int status =
        t->o.dry_run ? 0 : change_file(t, source, from, assembly, changed);
    unlink(assembly);
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

static int compile_rewritten(const struct nvcc_task *t, const char *source,
                             const char *from, const char *to)
{
    struct nvcc_args a = compiler(t, from, "simgpu_outside");
    const int inlines = may_inline(t);
    char *const assembly = file_renamed(t->temp, from, ".raw.s");
    args_add(&a, from);
    args_add2(&a, "-o", inlines ? assembly : to);
    int status = task_run(t, &a);
    if (status == 0 && inlines)
        status = assemble(t, source, from, assembly, to);
    return status || !t->o.no_constructors ? status : finish_object(t, to);
}

/* Write the rewritten C++, or compile it to an object. */
static int compile_cuda(const struct nvcc_task *t, const char *source,
                        const char *object)
{
    char *const pre = file_renamed(t->temp, source, ".pre.ii");
    char *const out = file_renamed(t->temp, source, ".out.ii");
    int status = preprocess(t, source, object, pre, NULL);
    if (status == 0)
        status = clang_check(t, source) != 0;
    if (status == 0)
        status =
            rewrite_file(t, source, pre, t->o.mode == MODE_CUDA ? object : out);
    if (status == 0 && t->o.mode != MODE_CUDA)
        status = compile_rewritten(t, source, out, object);
    unlink(pre);
    unlink(out);
    return status;
}

/* ---- compiling other files ----------------------------------------------- */

static int compile_host(struct nvcc_task *t, const char *source,
                        const char *object)
{
    struct nvcc_args a = {{0}, 0};
    const char *const std = t->o.std;
    if (file_is_c(t, source) && std && strstr(std, "++"))
        t->o.std = NULL;
    compile_preprocessing(t, &a, source);
    t->o.std = std;
    add_dependencies(t, &a, object);
    args_add(&a, "-c");
    args_add(&a, source);
    args_add2(&a, "-o", object);
    return task_run(t, &a);
}

int compile_file(struct nvcc_task *t, const char *source, const char *object)
{
    return file_is_cuda(t, source) ? compile_cuda(t, source, object)
                                   : compile_host(t, source, object);
}

int compile_show(const struct nvcc_task *t, const char *source)
{
    struct nvcc_args a = {{0}, 0};
    compile_preprocessing(t, &a, source);
    const int nonsystem = !strcmp(t->o.mode_option, "-MM") ||
                          strstr(t->o.mode_option, "nonsystem");
    args_add(&a, t->o.mode == MODE_PREPROCESS ? "-E"
                 : nonsystem                  ? "-MM"
                                              : "-M");
    if (t->o.mode != MODE_PREPROCESS)
        args_append(&a, &t->o.targets);
    if (t->o.phony)
        args_add(&a, "-MP");
    args_add(&a, source);
    if (t->o.output || t->o.dep_file)
        args_add2(&a, "-o", t->o.output ? t->o.output : t->o.dep_file);
    return task_run(t, &a);
}
