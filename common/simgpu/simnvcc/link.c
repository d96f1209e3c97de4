#define _GNU_SOURCE
#include "link.h"

#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strncmp */
#include <unistd.h> /* access */

/* CUDA's libraries that a program names but does not need here, or that are
 * not there. */
static int link_library(const struct task *t, struct args *a, const char *arg)
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
            asprintf(&path, "%s/lib/lib%s.so", t->prefix, arg + 2) < 0)
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
        args_add(a, text_join("-Wl,--wrap=", clocks[i]));
}

/* Before all other libraries: libcudart has MPI's functions, too, and the
 * program's calls are to find these before MPICH's. */
static void add_runtime(const struct task *t, struct args *a)
{
    args_add(a, text_join("-L", text_join(t->prefix, "/lib")));
    args_add(a, text_join("-Wl,-rpath,", text_join(t->prefix, "/lib")));
    args_add(a, "-Wl,--push-state,--no-as-needed");
    args_add(a, "-lcudart");
    args_add(a, "-Wl,--pop-state");
}

/* Linkers leave out a library that nothing needs, as MPICH seems to be where
 * libcudart has all of MPI that a program calls: libcudart needs MPICH. */
static void keep_mpi(const struct task *t, struct args *a,
                     const struct args *objects)
{
    int mpi = !strncmp(file_name(t->o.cxx), "mpi", 3);
    for (int i = 0; i < objects->n && !mpi; i++)
        mpi = !strncmp(objects->v[i], "-lmpi", 5) ||
              !strncmp(file_name(objects->v[i]), "libmpi", 6);
    if (mpi)
        args_add(a, "-Wl,--no-as-needed");
}

int link_program(const struct task *t, struct args *objects, const char *output)
{
    struct args a = {{0}, 0};
    args_add(&a, t->o.cxx);
    args_append(&a, &t->o.both);
    if (t->o.verbose) // CMake reads the linker's folders from it
        args_add(&a, "-v");
    add_runtime(t, &a);
    keep_mpi(t, &a, objects);
    args_append(&a, &t->o.link);
    for (int i = 0; i < objects->n; i++)
        if (!strncmp(objects->v[i], "-l", 2)) {
            if (link_library(t, &a, objects->v[i]))
                return 1;
        } else {
            args_add(&a, objects->v[i]);
        }
    add_clocks(&a);
    args_add(&a, "-pthread");
    args_add2(&a, "-o", output);
    return task_run(t, &a);
}

const char *link_libraries(const struct task *t)
{
    return text_join("-L", text_join(t->prefix, "/bin/../lib"));
}

void link_show(const struct task *t, const struct args *objects,
               const char *output)
{
    struct args a = {{text_join(t->prefix, "/bin/simnvcc")}, 1};
    args_append(&a, objects);
    args_add(&a, link_libraries(t));
    args_add(&a, "-lcudart");
    args_add2(&a, "-o", output);
    task_show(&a);
}

int link_archive(const struct task *t, struct args *objects, const char *output)
{
    struct args a = {{"ar", "rcs", output}, 3};
    args_append(&a, objects);
    return task_run(t, &a);
}

int link_device(const struct task *t)
{
    struct args a = {{t->o.cxx}, 1};
    args_append(&a, &t->o.both);
    args_add2(&a, "-x", "c++");
    args_add(&a, "-c");
    args_add(&a, "/dev/null");
    args_add2(&a, "-o", t->o.output ? t->o.output : "a_dlink.o");
    return task_run(t, &a);
}
