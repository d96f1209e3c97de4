#define _GNU_SOURCE
#include "link.h"

#include <stdio.h>  /* asprintf */
#include <stdlib.h> /* free */
#include <string.h> /* strncmp */
#include <unistd.h> /* access */

/* Leave out CUDA's libraries that a program names but doesn't need here; report
 * those that simgpu doesn't have. */
static int link_library(const struct nvcc_task *t, struct nvcc_args *a,
                        const char *arg)
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
    if (!strcmp(arg, "-lnvshmem")) // the static library, host and device
        arg = "-lnvshmem_host";
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

/* Redirect the program's own calls of these functions to modelled time
 * (core/clock/host_clock.c). */
static void add_clocks(struct nvcc_args *a)
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

/* libcudart precedes all other libraries: it also has MPI's functions, and the
 * program's calls must find these before MPICH's. */
static void add_runtime(const struct nvcc_task *t, struct nvcc_args *a)
{
    args_add(a, text_join("-L", text_join(t->prefix, "/lib")));
    args_add(a, text_join("-Wl,-rpath,", text_join(t->prefix, "/lib")));
    args_add(a, "-Wl,--push-state,--no-as-needed");
    args_add(a, "-lcudart");
    args_add(a, "-Wl,--pop-state");
}

/* Linkers drop a library whose functions nothing uses. MPICH seems
 * unused if libcudart has all the MPI functions that a program calls,
 * but libcudart needs it. */
static void keep_mpi(const struct nvcc_task *t, struct nvcc_args *a,
                     const struct nvcc_args *objects)
{
    int mpi = !strncmp(file_name(t->o.cxx), "mpi", 3);
    for (int i = 0; i < objects->n && !mpi; i++)
        mpi = !strncmp(objects->v[i], "-lmpi", 5) ||
              !strncmp(file_name(objects->v[i]), "libmpi", 6);
    if (mpi)
        args_add(a, "-Wl,--no-as-needed");
}

int link_program(const struct nvcc_task *t, struct nvcc_args *objects,
                 const char *output)
{
    struct nvcc_args a = {{0}, 0};
    args_add(&a, t->o.cxx);
    args_append(&a, &t->o.both);
    if (t->o.verbose) // CMake reads the linker's folders from this output
        args_add(&a, "-v");
    if (!t->o.partial) {
        add_runtime(t, &a);
        keep_mpi(t, &a, objects);
    }
    args_append(&a, &t->o.link);
    for (int i = 0; i < objects->n; i++)
        if (!strncmp(objects->v[i], "-l", 2)) {
            if (link_library(t, &a, objects->v[i]))
                return 1;
        } else {
            args_add(&a, objects->v[i]);
        }
    if (!t->o.partial) {
        add_clocks(&a);
        args_add(&a, "-pthread");
    }
    args_add2(&a, "-o", output);
    return task_run(t, &a);
}

const char *link_libraries(const struct nvcc_task *t)
{
    return text_join("-L", text_join(t->prefix, "/bin/../lib"));
}

void link_show(const struct nvcc_task *t, const struct nvcc_args *objects,
               const char *output)
{
    struct nvcc_args a = {{text_join(t->prefix, "/bin/simnvcc")}, 1};
    args_append(&a, objects);
    args_add(&a, link_libraries(t));
    args_add(&a, "-lcudart");
    args_add2(&a, "-o", output);
    task_show(&a);
}

int link_archive(const struct nvcc_task *t, struct nvcc_args *objects,
                 const char *output)
{
    struct nvcc_args a = {{t->o.archiver, "rcs"}, 2};
    args_append(&a, &t->o.archive);
    args_add(&a, output);
    args_append(&a, objects);
    return task_run(t, &a);
}

int link_device(const struct nvcc_task *t)
{
    struct nvcc_args a = {{t->o.cxx}, 1};
    args_append(&a, &t->o.both);
    args_add2(&a, "-x", "c++");
    args_add(&a, "-c");
    args_add(&a, "/dev/null");
    args_add2(&a, "-o", t->o.output ? t->o.output : "a_dlink.o");
    return task_run(t, &a);
}
