/*
 * alignment.h: which files need the compiler's check of alignment
 *
 * A check before each access costs some percent of a kernel's time. The hooks
 * of accesses find most addresses that are not aligned (device/aligned.h). They
 * miss accesses of a type whose members are less aligned than the type itself,
 * such as float4, if the compiler splits it into its members; and an address
 * between two that the same instruction has accessed before, which takes a
 * pointer that was cast.
 */
#ifndef SIMNVCC_ALIGNMENT_H
#define SIMNVCC_ALIGNMENT_H

/* True if in preprocessed text a file that is neither a system's header nor in
 * the folder names such a type, or casts a pointer to a larger type, except
 * for what a function such as malloc() returns. */
int alignment_matters(const char *text, const char *folder);

#endif
