/* A rank whose MPICH was built for PMIx tells its launcher, here this program's
 * parent, with which status it fails: mpi/pmix.c. */
#define _GNU_SOURCE
#include <cuda_runtime.h>
#include <dlfcn.h> /* dlsym */
#include <stdint.h>
#include <stdio.h>  /* FILE */
#include <stdlib.h> /* setenv */
#include <string.h> /* strncmp */
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h> /* fork */

#include "rule.h"

struct proc_name {
    char nspace[256];
    uint32_t rank;
};

#define FIND(name) (*(void **)(&name) = dlsym(RTLD_DEFAULT, #name))
static int (*PMIx_Init)(struct proc_name *, void *, size_t);
static int (*PMIx_Abort)(int, const char *, void *, size_t);
static int (*PMIx_Finalize)(void *, size_t);

static void exits(void)
{
    exit(3);
}

static void returns(void) {}

static void faults(void)
{
    volatile int *d;
    cudaMalloc((void **)&d, 4);
    *d = 1;
}

static void exits_at_its_end(void)
{
    PMIx_Finalize(NULL, 0);
    exit(3);
}

static void aborts(void)
{
    PMIx_Abort(5, "", NULL, 0);
    exit(3);
}

static void has_a_child_that_fails(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        exit(3);
    waitpid(pid, NULL, 0);
}

static const struct end {
    const char *rule;
    void (*act)(void);
    int status;
    const char *told; /* the statuses, each after a space */
} ends[] = {
    {"a rank that exits says how", exits, 3, " 3"},
    {"one that succeeds does not", returns, 0, ""},
    {"one that a fault ends does", faults, 70, " 70"},
    {"after PMIx_Finalize all is said", exits_at_its_end, 3, ""},
    {"a status is said once", aborts, 3, " 5"},
    {"a child is no rank", has_a_child_that_fails, 0, ""},
};

static _Noreturn void be_rank(int hydra, const struct end *e)
{
    char fd[16];
    struct proc_name self;
    snprintf(fd, sizeof fd, "%d", hydra);
    setenv("PMI_FD", fd, 1);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "1", 1);
    cudaSetDevice(0);
    if (PMIx_Init(&self, NULL, 0) != 0)
        _exit(99);
    e->act();
    exit(0);
}

/* Answer until the rank has ended: the statuses that it told. */
static void be_hydra(int fd, char told[64])
{
    char line[256];
    FILE *const in = fdopen(fd, "r+");
    told[0] = 0;
    while (in && fgets(line, sizeof line, in)) {
        int status;
        if (sscanf(line, "cmd=abort exitcode=%d", &status) == 1)
            snprintf(told + strlen(told), 64 - strlen(told), " %d", status);
        else
            dprintf(fd, "cmd=answer rc=0 kvsname=job\n");
    }
    if (in)
        fclose(in);
}

static int ends_as_told(const struct end *e)
{
    int pair[2], status;
    char told[64];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return 0;
    const pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        be_rank(pair[1], e);
    }
    close(pair[1]);
    be_hydra(pair[0], told);
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == e->status && strcmp(told, e->told) == 0;
}

int main(void)
{
    RULE(FIND(PMIx_Init) && FIND(PMIx_Abort) && FIND(PMIx_Finalize),
         "libcudart has what MPICH calls");
    fflush(NULL); // or each child would print it, too
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        RULE(ends_as_told(&ends[i]), ends[i].rule);
        fflush(NULL);
    }
    return rule_status();
}
