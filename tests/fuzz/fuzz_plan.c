/* Fuzzes the reader of plans, and that of the formulas in them. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "judge/formula.h"
#include "judge/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

static int one(void *arg, const char *name, double *value)
{
    (void)arg;
    *value = 1;
    return name[0] == 'q' ? -1 : 0;
}

static void evaluate(const uint8_t *data, size_t nbytes)
{
    char err[256];
    double value;
    char *const text = strndup((const char *)data, nbytes);
    formula_value(text, one, NULL, &value, err, sizeof err);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
    evaluate(data, nbytes);
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
