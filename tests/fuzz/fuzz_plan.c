/* Fuzzes the reader of plans. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "judge/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    char path[64], err[256], near[256];
    const int fd = memfd_create("plan", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, nbytes) == (ssize_t)nbytes) {
        struct plan *const p = plan_load(path, path, err, sizeof err);
        if (p)
            plan_near(p, "ring", near, sizeof near);
        plan_free(p);
    }
    close(fd);
    return 0;
}
