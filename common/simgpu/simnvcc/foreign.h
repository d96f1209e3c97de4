/*
 * foreign.h: headers of a CUDA toolkit among simgpu's
 *
 * Where a toolkit is installed in the compiler's own search path, a header that
 * simgpu does not have is found there, with others that simgpu does have in its
 * wake, and both define the same types. That is told by the header's name, not
 * by hundreds of errors.
 */
#ifndef SIMNVCC_FOREIGN_H
#define SIMNVCC_FOREIGN_H

/*
 * In preprocessed text: the path of the first header of another folder that
 * includes, from its own folder, one that own_folder has, too. NULL if there is
 * none; the caller frees it.
 */
char *foreign_header(const char *text, const char *own_folder);

#endif
