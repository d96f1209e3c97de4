/*
 * foreign.h: detecting a CUDA toolkit's headers among simgpu's
 *
 * If a toolkit is installed in the compiler's own search path, the compiler
 * finds there a header that simgpu doesn't have. That header includes others
 * that simgpu does have, and both define the same types. The message then names
 * the header instead of leaving the user with hundreds of errors.
 */
#ifndef SIMNVCC_FOREIGN_H
#define SIMNVCC_FOREIGN_H

/*
 * In preprocessed text, find the first header from another folder that includes
 * a header from its own folder that own_folder has, too. Returns its path,
 * which the caller frees, or NULL.
 */
char *foreign_header(const char *text, const char *own_folder);

#endif
