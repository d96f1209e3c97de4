/*
 * clang.h: having clang read a .cu file for what spaces.h reports
 *
 * SIMNVCC_CLANG names another clang++; if it is empty, or there is no clang,
 * the file is not checked.
 */
#ifndef SIMNVCC_CLANG_H
#define SIMNVCC_CLANG_H

#include "task.h"

/* Report calls between host and device that nvcc refuses. Returns their
 * number. */
int clang_check(const struct nvcc_task *t, const char *source);

#endif
