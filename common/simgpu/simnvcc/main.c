/*
 * simnvcc: compiles CUDA C++ for the CPU, in place of nvcc
 *
 *     simnvcc -c kernel.cu -o kernel.o
 *     simnvcc a.cu b.cpp c.o -lm -o program
 *
 * The command line is nvcc's (options.h); compile.h tells what it does.
 *
 *     --no-constructors    nothing of the object runs before main: its kernels
 *                          are in a table of the program's (simgpu/kernel.h);
 *                          memcpy() and its like count as accesses of device
 *                          code; a call by a kernel that is not inlined is an
 *                          error (calls.h). For labs. Needs objcopy.
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

static void remove_temp(struct task *t)
{
    struct args a = {{"rm", "-rf", t->temp}, 3};
    t->o.verbose = t->o.dry_run = 0;
    task_run(t, &a);
}

/* PREFIX of PREFIX/bin/simnvcc. */
static void find_prefix(struct task *t)
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

static int compile_each(struct task *t)
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

/* Compile the sources to temporary objects, and link or archive all. */
static int build(struct task *t)
{
    struct args objects = {{0}, 0};
    int status = 0;
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
    if (status == 0 && t->o.run) {
        struct args a = {
            {strchr(output, '/') ? output : text_join("./", output)}, 1};
        status = task_run(t, &a);
    }
    return status;
}

/* -ptx, -cubin, -fatbin: a shared library of each source, for cuModuleLoad()
 * (driver/module.c), named after the option. */
static int make_images(struct task *t)
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
        struct args object = {{file_renamed(t->temp, in, ".o")}, 1};
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

/* What build systems ask; the version is that of the headers. */
static int answer(const struct task *t)
{
    if (strstr(t->o.mode_option, "list"))
        puts(strstr(t->o.mode_option, "code") ? "sm_90" : "compute_90");
    else if (strstr(t->o.mode_option, "h") && !strstr(t->o.mode_option, "v"))
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

static int do_mode(struct task *t)
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

/* Several sources cannot become one object. */
static int one_output(const struct task *t)
{
    int nsources = 0;
    for (int i = 0; i < t->o.inputs.n; i++)
        nsources += file_is_source(t, t->o.inputs.v[i]);
    return (t->o.mode != MODE_COMPILE && t->o.mode != MODE_IMAGE) ||
           !t->o.output || nsources < 2;
}

int main(int argc, char **argv)
{
    static struct task whole = {.o = {.cxx = "g++"}};
    struct task *const t = &whole;
    find_prefix(t);
    options_read(&t->o, argc, argv);
    if (t->o.mode == MODE_ASK)
        return answer(t);
    if (t->o.mode == MODE_DEVICE) {
        fprintf(stderr,
                "simnvcc: error: %s makes code for GPUs. simnvcc makes code "
                "for the CPU: use -c, or nvcc\n",
                t->o.mode_option);
        return EXIT_USAGE;
    }
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
