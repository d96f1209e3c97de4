/* What sharing memory with another process returns: values.txt. Rank 1 prints
 * what it gets from rank 0. */
#include "say.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SAY_CRASHES
#include "core/heap/heap.h" // what simgpu's handles hold
#endif

enum { OPEN = cudaIpcMemLazyEnablePeerAccess };

struct handles {
    cudaIpcMemHandle_t a, b, none;
};

static int up[2], down[2];

static void tell(int fd, const void *p, size_t nbytes)
{
    if (write(fd, p, nbytes) != (ssize_t)nbytes)
        _exit(1);
}

static void hear(int fd, void *p, size_t nbytes)
{
    if (read(fd, p, nbytes) != (ssize_t)nbytes)
        _exit(1);
}

/* ---- rank 0: the owner --------------------------------------------------- */

static void own(void)
{
    struct handles h = {0};
    char *a, *b, done;
    void *pinned;
    cudaMalloc((void **)&a, 1000);
    cudaMemset(a, 7, 1000);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaMalloc((void **)&b, 100);
    cudaMemset(b, 9, 100);
    cudaDeviceSynchronize();
    cudaMallocHost(&pinned, 100);
    memset(&h.b, 0xff, sizeof h.b);
    SAY(cudaIpcGetMemHandle(&h.a, a + 10));
    SAY(cudaIpcGetMemHandle(&h.b, b));
    SAY(cudaIpcGetMemHandle(&h.none, pinned));
    SAY(cudaIpcGetMemHandle(&h.none, b + 512));
    fflush(stdout);
    tell(down[1], &h, sizeof h);
    hear(up[0], &done, 1);
    SAY(cudaFree(b));
    fflush(stdout);
    tell(down[1], &done, 1);
}

/* ---- rank 1: a guest ----------------------------------------------------- */

#ifndef SAY_CRASHES
/* A handle of a device that no process has. */
static void forged(cudaIpcMemHandle_t handle, int device)
{
    struct heap_ref ref;
    void *p;
    memcpy(&ref, &handle, sizeof ref);
    ref.device = device;
    memcpy(&handle, &ref, sizeof ref);
    IS(device);
    SAY(cudaIpcOpenMemHandle(&p, handle, OPEN));
}

static void forgeries(const struct handles *h)
{
    static const char nothing[sizeof(cudaIpcMemHandle_t)];
    const size_t used = sizeof(struct heap_ref);
    printf("the rest of a handle is zero: %d\n",
           !memcmp((const char *)&h->b + used, nothing, sizeof h->b - used));
    forged(h->a, HEAP_PINNED);
    forged(h->a, -1000000);
    forged(h->a, PROC_MAX_DEVICES);
    forged(h->a, 1000000);
}
#else
static void forgeries(const struct handles *h)
{
    (void)h;
}
#endif

static void closings(char *p, char *q)
{
    cudaIpcMemHandle_t m;
    SAY(cudaIpcGetMemHandle(&m, p));
    SAY(cudaFree(p));
    SAY(cudaIpcCloseMemHandle(p + 1000));
    SAY(cudaIpcCloseMemHandle(q));
    SAY(cudaMemset(p, 3, 1000));
    SAY(cudaIpcCloseMemHandle(p));
    SAY(cudaIpcCloseMemHandle(p));
    SAY(cudaMemset(p, 3, 1000));
}

static void visit(void)
{
    struct handles h;
    char *p = NULL, *q = NULL, *r = NULL, byte = 0;
    hear(down[0], &h, sizeof h);
    SAY(cudaIpcOpenMemHandle(NULL, h.a, OPEN));
    SAY(cudaIpcOpenMemHandle((void **)&p, h.a, 0));
    SAY(cudaIpcOpenMemHandle((void **)&p, h.a, 2));
    SAY(cudaIpcOpenMemHandle((void **)&p, h.none, OPEN));
    IS(p == NULL);
    SAY(cudaIpcOpenMemHandle((void **)&p, h.a, OPEN));
    SAY(cudaIpcOpenMemHandle((void **)&q, h.a, OPEN));
    IS(p == q);
    SAY(cudaMemcpy(&byte, p + 999, 1, cudaMemcpyDefault));
    IS(byte);
    SAY(cudaMemcpy(&byte, p + 1000, 1, cudaMemcpyDefault));
    SAY(cudaIpcOpenMemHandle((void **)&r, h.b, OPEN));
    SAY(cudaMemcpy(&byte, r, 1, cudaMemcpyDefault));
    IS(byte);
    forgeries(&h);
    closings(p, q);
    fflush(stdout);
    tell(up[1], &byte, 1);
    hear(down[0], &byte, 1);
    SAY(cudaIpcCloseMemHandle(r)); // which its owner has freed since
    SAY(cudaIpcCloseMemHandle(r));
}

int main(void)
{
    int status = 0;
    if (pipe(up) != 0 || pipe(down) != 0)
        return 1;
    const pid_t guest = fork();
    setenv("PMI_SIZE", "2", 1);
    setenv("PMI_RANK", guest ? "0" : "1", 1);
    if (!guest) {
        visit();
        return 0;
    }
    own();
    waitpid(guest, &status, 0);
    return status;
}
