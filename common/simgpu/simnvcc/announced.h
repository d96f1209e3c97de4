/*
 * announced.h: memcpy(), modf(), malloc() and the like in device code
 *
 * The compiler inserts no hook for what the C library copies, nor for results
 * that libm returns through pointers. In a file's assembly, calls of these
 * functions become calls of simgpu_memcpy() and so on, which record what they
 * touch (device/hooks.c, device/results.c). simgpu_malloc() and simgpu_free()
 * count device code's memory (device/allocate.h).
 */
#ifndef SIMNVCC_ANNOUNCED_H
#define SIMNVCC_ANNOUNCED_H

/* The assembly with the calls renamed. The caller frees it. */
char *announced_rename(const char *assembly);

#endif
