#define _GNU_SOURCE
#include "arch.h"

#include <stdio.h>  /* fopen */
#include <stdlib.h> /* free */
#include <string.h> /* strstr */

int arch_matters(const char *text)
{
    (void)text;
    return 0;
}

char *arch_merge(const char *host_path, const char *device_path)
{
    (void)host_path, (void)device_path;
    return NULL;
}
