#include "core/limit.h"

#include <errno.h>        /* ENOMEM */
#include <stdio.h>        /* snprintf */
#include <sys/resource.h> /* getrlimit */

/* A limit of this process; 0 if none is set. */
static unsigned long long own_limit(int which)
{
    struct rlimit l;
    return getrlimit(which, &l) == 0 && l.rlim_cur != RLIM_INFINITY
               ? (unsigned long long)l.rlim_cur
               : 0;
}

/* The number in a file of /proc; 0 if there is none. */
static unsigned long long system_limit(const char *path)
{
    unsigned long long v = 0;
    FILE *const f = fopen(path, "re");
    if (f && fscanf(f, "%llu", &v) != 1)
        v = 0;
    if (f)
        fclose(f);
    return v;
}

/* The number of this process's mappings. */
static unsigned long long count_maps(void)
{
    unsigned long long n = 0;
    FILE *const f = fopen("/proc/self/maps", "re");
    for (int c; f && (c = getc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

/* Explain a lack of memory or addresses: mmap(), mprotect(). */
static void no_memory(char *out, size_t nbytes)
{
    const unsigned long long space = own_limit(RLIMIT_AS);
    const unsigned long long maps = system_limit("/proc/sys/vm/max_map_count");
    if (space)
        snprintf(out, nbytes,
                 ".\nulimit -v limits addresses to %llu MiB, and a rank takes "
                 "several times those of the device memory that it allocates, "
                 "and some for each other rank: ulimit -v unlimited",
                 space >> 20);
    else if (maps && count_maps() + 16 > maps)
        snprintf(out, nbytes,
                 ".\nvm.max_map_count allows a process %llu mappings: sysctl "
                 "vm.max_map_count=%llu, as root, or use fewer ranks or "
                 "allocations",
                 maps, 4 * maps);
    else if (system_limit("/proc/sys/vm/overcommit_memory") == 2)
        snprintf(out, nbytes,
                 ".\nvm.overcommit_memory=2 counts memory that is only "
                 "reserved: sysctl vm.overcommit_memory=0, as root");
    else
        snprintf(out, nbytes,
                 ".\nAddresses or memory of this host are used up: use fewer "
                 "ranks, or a machine whose GPUs have less memory");
}

/* Explain a lack of threads or processes: pthread_create(), fork(). */
static void no_thread(char *out, size_t nbytes)
{
    const unsigned long long mine = own_limit(RLIMIT_NPROC);
    const unsigned long long all = system_limit("/proc/sys/kernel/threads-max");
    snprintf(out, nbytes,
             ".\nA rank takes a thread for each stream and two more. ulimit -u "
             "allows a user %llu threads (0: any number), kernel.threads-max "
             "%llu, and a container's pids limit may be lower: raise them, or "
             "use fewer ranks",
             mine, all);
}

const char *simgpu_limit_hint(int err, char *out, size_t nbytes)
{
    out[0] = 0;
    switch (err) {
    case ENOMEM: no_memory(out, nbytes); break;
    case EAGAIN: no_thread(out, nbytes); break;
    case EMFILE:
        snprintf(out, nbytes,
                 ".\nulimit -n allows a process %llu open files: ulimit -n "
                 "4096, or use fewer communicators and devices",
                 own_limit(RLIMIT_NOFILE));
        break;
    case ENFILE:
        snprintf(out, nbytes,
                 ".\nfs.file-max allows this host %llu open files: sysctl "
                 "fs.file-max=1000000, as root, or use fewer ranks",
                 system_limit("/proc/sys/fs/file-max"));
        break;
    case EPERM:
    case EACCES:
        snprintf(out, nbytes,
                 ".\nRanks open each other's memory through /proc/PID/fd: run "
                 "them as one user, in one container, with ptrace allowed");
        break;
    default: break;
    }
    errno = err;
    return out;
}
