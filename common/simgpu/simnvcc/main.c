/*
 * simnvcc: compiles CUDA C++ for the CPU, in place of nvcc
 *
 *     simnvcc -c kernel.cu -o kernel.o
 *     simnvcc a.cu b.cpp c.o -lm -o program
 *
 * The command line is nvcc's (options.h); compile.h describes the steps.
 *
 *     --no-constructors    No code of the object runs before main: its kernels
 *                          are in a table of the program (simgpu/kernel.h).
 *                          memcpy() and the like count as accesses of device
 *                          code. A kernel's call that is not inlined, or of a
 *                          function that a GPU doesn't have, is an error
 *                          (refused.h). For labs; needs objcopy.
 */
#define _GNU_SOURCE
#include <errno.h>  /* errno */
#include <stdio.h>  /* fprintf */
#include <stdlib.h> /* mkdtemp */
#include <string.h> /* strchr */
#include <unistd.h> /* readlink */

#include "base/temp.h"
#include "compile.h"
#include "link.h"

static void remove_temp(struct nvcc_task *t)
{
    struct nvcc_args a = {{"rm", "-rf", t->temp}, 3};
    t->o.verbose = t->o.dry_run = 0;
    task_run(t, &a);
}

/* Find PREFIX, where this program is PREFIX/bin/simnvcc. */
static void find_prefix(struct nvcc_task *t)
{
    const ssize_t n =
        readlink("/proc/self/exe", t->prefix, sizeof t->prefix - 1);
    t->prefix[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2; i++) {
        char *const slash = strrchr(t->prefix, '/');
        if (slash)
            *slash = 0;
    }
}

static int compile_each(struct nvcc_task *t)
{
    int status = 0;
    for (int i = 0; i < t->o.inputs.n && status == 0; i++) {
        const char *const in = t->o.inputs.v[i];
        if (!file_is_source(t, in))
            continue;
        const char *const ending = t->o.mode == MODE_CUDA ? ".cu.cpp.ii" : ".o";
        status = compile_file(
            t, in,
            t->o.output
                ? t->o.output
                : file_renamed(t->o.folder ? t->o.folder : "", in, ending));
    }
    return status;
}

static int run_program(const struct nvcc_task *t, const char *program)
{
    struct nvcc_args a = {
        {strchr(program, '/') ? program : text_join("./", program)}, 1};
    args_append(&a, &t->o.run_args);
    return task_run(t, &a);
}

/* Compile the sources to temporary objects, and link or archive all objects. */
static int build(struct nvcc_task *t)
{
    struct nvcc_args objects = {{0}, 0};
    int status = 0;
    if (t->o.run && t->o.inputs.n == 1 && file_is_program(t->o.inputs.v[0]))
        return run_program(t, t->o.inputs.v[0]);
    for (int i = 0; i < t->o.inputs.n && status == 0; i++) {
        const char *const in = t->o.inputs.v[i];
        char number[16];
        if (!file_is_source(t, in)) {
            args_add(&objects, in);
            continue;
        }
        snprintf(number, sizeof number, ".%d.o", i);
        char *const object = file_renamed(t->temp, in, number);
        status = compile_file(t, in, object);
        args_add(&objects, object);
    }
    if (status)
        return status;
    if (t->o.mode == MODE_ARCHIVE)
        return link_archive(t, &objects, t->o.output ? t->o.output : "a.a");
    const char *const output = t->o.output ? t->o.output : "a.out";
    if (t->o.verbose)
        link_show(t, &objects, output);
    status = link_program(t, &objects, output);
    return status == 0 && t->o.run ? run_program(t, output) : status;
}

/* For -ptx, -cubin and -fatbin: create a shared library from each source, named
 * after the option, for cuModuleLoad() (driver/module.c). */
static int make_images(struct nvcc_task *t)
{
    const char *const ending =
        text_join(".", t->o.mode_option + strspn(t->o.mode_option, "-"));
    int status = 0;
    args_add(&t->o.both, "-fPIC");
    args_add(&t->o.link, "-shared");
    for (int i = 0; i < t->o.inputs.n && status == 0; i++) {
        const char *const in = t->o.inputs.v[i];
        if (!file_is_source(t, in))
            continue;
        struct nvcc_args object = {{file_renamed(t->temp, in, ".o")}, 1};
        status = compile_file(t, in, object.v[0]);
        if (status == 0)
            status = link_program(
                t, &object,
                t->o.output
                    ? t->o.output
                    : file_renamed(t->o.folder ? t->o.folder : "", in, ending));
    }
    return status;
}

/* Answer queries of build systems. The version is that of simgpu's headers. */
static int answer(const struct nvcc_task *t)
{
    const char *const asked = t->o.mode_option + strspn(t->o.mode_option, "-");
    if (strstr(asked, "code"))
        puts("sm_90");
    else if (strstr(asked, "arch"))
        puts("compute_90");
    else if (asked[0] == 'h')
        puts(
            "usage: simnvcc [options] file... [-o output]\n\n"
            "simnvcc compiles CUDA C++ for the CPU, to run on simgpu. It takes "
            "nvcc's\noptions; those that only a GPU's code needs have no "
            "effect. Options that nvcc\ndoesn't have go to the host compiler "
            "(-ccbin, g++), with a warning.");
    else // CMake parses the first line
        puts("nvcc: NVIDIA (R) Cuda compiler driver, or what stands in for it\n"
             "simnvcc: CUDA C++ for the CPU, part of commlab's simgpu\n"
             "Cuda compilation tools, release 13.0, V13.0.48");
    return 0;
}

static int do_mode(struct nvcc_task *t)
{
    int status = 0;
    switch (t->o.mode) {
    case MODE_COMPILE:
    case MODE_CUDA: return compile_each(t);
    case MODE_PREPROCESS:
    case MODE_DEPENDENCIES:
        for (int i = 0; i < t->o.inputs.n && status == 0; i++)
            if (file_is_source(t, t->o.inputs.v[i]))
                status = compile_show(t, t->o.inputs.v[i]);
        return status;
    case MODE_DLINK: return link_device(t);
    case MODE_IMAGE: return make_images(t);
    default: return build(t);
    }
}

/* False if several sources would have to become one object. */
static int one_output(const struct nvcc_task *t)
{
    int nsources = 0;
    for (int i = 0; i < t->o.inputs.n; i++)
        nsources += file_is_source(t, t->o.inputs.v[i]);
    return (t->o.mode != MODE_COMPILE && t->o.mode != MODE_IMAGE) ||
           !t->o.output || nsources < 2;
}

int main(int argc, char **argv)
{
    static struct nvcc_task whole = {.o = {.cxx = "g++", .archiver = "ar"}};
    struct nvcc_task *const t = &whole;
    find_prefix(t);
    options_read(&t->o, argc, argv);
    if (t->o.mode == MODE_ASK)
        return answer(t);
    if (t->o.inputs.n == 0) {
        fprintf(stderr, "usage: simnvcc [-c] [options] file.cu [-o output]\n");
        return EXIT_USAGE;
    }
    if (!one_output(t)) {
        fprintf(stderr, "simnvcc: error: -o names one file, but there are "
                        "several sources to compile\n");
        return EXIT_USAGE;
    }
    if (!mkdtemp(temp_path(t->temp, sizeof t->temp, "simnvcc"))) {
        fprintf(stderr, "simnvcc: %s: %s\n", t->temp, strerror(errno));
        return 1;
    }
    if (t->o.verbose)
        fprintf(stderr,
                "#$ TOP=%s\n#$ INCLUDES=\"-I%s/include\"\n#$ LIBRARIES=%s\n"
                "#$ -arch compute_90\n",
                t->prefix, t->prefix, link_libraries(t));
    const int status = do_mode(t);
    remove_temp(t);
    return status;
}
