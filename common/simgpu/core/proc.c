#include "core/proc.h"

#include <fcntl.h>     /* open */
#include <pthread.h>   /* pthread_once */
#include <stdatomic.h> /* atomic_load */
#include <stdio.h>     /* snprintf */

#include "core/start.h"

/* The documented per-process state of simgpu's core. */
static struct proc self;
static _Atomic int started;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void)
{
    core_start(&self);
    atomic_store(&started, 1);
}

const struct proc *simgpu_proc(void)
{
    pthread_once(&once, start);
    return &self;
}

int simgpu_proc_started(void)
{
    return atomic_load(&started);
}

int32_t simgpu_proc_place(int device)
{
    return device == -1 ? TOPO_HOST_PLACE(self.node) : self.place[device];
}

const struct topo_gpu *simgpu_proc_gpu(int device)
{
    return topo_gpu(self.topo, self.place[device]);
}

int simgpu_proc_computes(int device, enum topo_math math)
{
    return topo_compute(self.topo, self.place[device], math) >= 0;
}

int simgpu_proc_open(int pid, int fd, int mode)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    return open(path, mode | O_CLOEXEC);
}
