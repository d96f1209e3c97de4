#define _GNU_SOURCE
#include "clang.h"

#include <stdio.h>  /* fopen */
#include <stdlib.h> /* getenv */
#include <unistd.h> /* unlink */

#include "compile.h"
#include "spaces.h"

/* Empty: there is none. */
static const char *clang_name(void)
{
    const char *const name = getenv("SIMNVCC_CLANG");
    return name ? name : "clang++";
}

static int preprocess_for_clang(const struct nvcc_task *t, const char *source,
                                const char *to, const char *said)
{
    struct nvcc_task clang = *t;
    struct nvcc_args a = {{0}, 0};
    clang.o.cxx = clang_name();
    args_add2(&clang.o.preprocess, "-include", "simgpu/sides.h");
    compile_preprocessing(&clang, &a, source);
    args_add(&a, "-w");
    args_add(&a, "-D__CUDA_ARCH__=900");
    args_add(&a, "-E");
    args_add(&a, source);
    args_add2(&a, "-o", to);
    return task_run_into(t, &a, said);
}

/* nvcc lets device code call the host's constexpr functions only with
 * --expt-relaxed-constexpr; clang always does, unless it is told not to. */
static void restrict_constexpr(const struct nvcc_task *t, struct nvcc_args *a)
{
    if (!args_have(&t->o.preprocess, "-D__CUDACC_RELAXED_CONSTEXPR__"))
        args_add2(a, "-Xclang", "-fno-cuda-host-device-constexpr");
}

/* Have clang read a file as CUDA; what it says goes to file `said`. */
static void read_as_cuda(const struct nvcc_task *t, const char *path,
                         const char *said)
{
    static const char *const words[][2] = {
        {"-DSIMGPU_GLOBAL=", "global"},  {"-DSIMGPU_DEVICE=", "device"},
        {"-DSIMGPU_HOST=", "host"},      {"-DSIMGPU_CONSTANT=", "constant"},
        {"-DSIMGPU_MANAGED=", "device"}, {"-DSIMGPU_SHARED=", "shared"}};
    struct nvcc_args a = {{clang_name(), "-x", "cuda", "--cuda-device-only",
                           "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib",
                           "-fsyntax-only", "-w", "-ferror-limit=0",
                           "-ftabstop=1", "-D__syncthreads=clang_syncthreads",
                           "-D__noinline__=__attribute__((noinline))",
                           "-DSIMGPU_BOUNDS(...)=", "-DSIMGPU_CLUSTER(...)="},
                          15};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        args_add(&a, text_join(text_join(words[i][0], "__attribute__(("),
                               text_join(words[i][1], "))")));
    restrict_constexpr(t, &a);
    args_add(&a, t->o.std ? t->o.std : "-std=gnu++17");
    args_add(&a, path);
    task_run_into(t, &a, said);
}

int clang_check(const struct nvcc_task *t, const char *source)
{
    char *const own = text_join(t->prefix, "/include/");
    char *const pre = file_renamed(t->temp, source, ".clang.ii");
    char *const cuda = file_renamed(t->temp, source, ".cuda.ii");
    char *const said = file_renamed(t->temp, source, ".said");
    char *text = NULL;
    int found = 0;
    FILE *const out = t->o.dry_run || !*clang_name() ? NULL : fopen(cuda, "we");
    if (out && preprocess_for_clang(t, source, pre, said) == 0)
        text = file_read(pre);
    if (text)
        spaces_write(text, own, out);
    if (out)
        fclose(out);
    free(text);
    if (text) {
        read_as_cuda(t, cuda, said);
        text = file_read(said);
        found = text ? spaces_report(text, own, stderr) : 0;
        free(text);
    }
    unlink(pre);
    unlink(cuda);
    unlink(said);
    return found;
}
