/*
 * size.h: sizes as people write them in settings
 */
#ifndef COMMLAB_BASE_SIZE_H
#define COMMLAB_BASE_SIZE_H

#include <stdint.h>

/* Parse "1048576", "1024K", "1M" or "2G" bytes. 0, or -1 for anything else. */
int size_parse(const char *text, uint64_t *nbytes);

#endif
