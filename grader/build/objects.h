/*
 * objects.h: shared objects for files that a submission did not change
 *
 * A submission often has some of the lab's files exactly as the kit has them: a
 * skeleton's file that its student has not come to, or a solution's in all
 * tests. In a folder that many gradings share (`grade run --objects DIR`), such
 * a file is compiled once.
 *
 * Grades, messages and logs are the same with shared objects and without,
 * because the objects are:
 *   - an object is compiled from the kit's own files, in a separate sandbox
 *     without any file of a submission; a submission only gets copies
 *   - it is compiled by the same script, under the same paths in the sandbox
 *     (from isolation level 2 on; below, nothing is kept)
 *   - it is used only for a file with the same bytes, if all files that it
 *     includes have the same bytes, too; the included files of kit and system,
 *     the compiler and the script are compared by a digest each time
 *   - the compiler's output is kept with it, and it is audited like others
 */
#ifndef GRADER_OBJECTS_H
#define GRADER_OBJECTS_H

#include "grader/job/place.h"
#include "grader/job/request.h"

/* Make the folder if there is none. True if it belongs to this user and others
 * can't enter it: they could change objects, or read solutions. */
int objects_is_folder(const char *path);

/*
 * Put into WORK/out what compilers would make of those files of WORK/src that
 * are the solution's or the skeleton's, and set done[] for them, by their
 * number in the plan. Other files remain to be compiled.
 */
void objects_reuse(const struct request *q, const struct place *p, char *done);

#endif
