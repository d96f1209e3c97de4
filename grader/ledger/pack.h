/*
 * pack.h: long texts of a grading, compressed
 *
 * A timeline and the data of an interactive page are three quarters of a
 * grading. The ledger keeps them as "xz:" and base64. Ledgers from before that
 * have the texts themselves, which begin with < or {.
 */
#ifndef GRADER_PACK_H
#define GRADER_PACK_H

#include <jansson.h>

/* Compress the pictures of `grade run --json`'s result, in place. */
void pack_pictures(json_t *result);

/* The text of a picture, packed or not. The caller frees it; "" if it is
 * damaged. */
char *pack_text(const char *picture);

#endif
