/*
 * objects.h: objects of files that a submission has as the kit has them
 *
 * A submission often has some of the lab's files just as the kit has them: a
 * skeleton's that its student has not come to, a solution's in all tests. In a
 * folder that many gradings share (`grade run --objects DIR`) such a file is
 * compiled once.
 *
 * Grades, messages and logs are the same with it and without, since the objects
 * are:
 *   - what is kept was compiled from the kit's own files, in a sandbox of its
 *     own that no submission's file was in; a submission only ever takes copies
 *   - it was compiled by the same script, under the same paths in the sandbox
 *     (from isolation level 2 on; below, nothing is kept)
 *   - it is used for a file with the same bytes, when all files that it
 *     includes have the same bytes too; what it includes of the kit and the
 *     system, the compiler and the script are compared by a digest each time
 *   - what the compiler said is kept with it, and it is audited like others
 */
#ifndef GRADER_OBJECTS_H
#define GRADER_OBJECTS_H

#include "place.h"
#include "request.h"

/* Make the folder if there is none. True if it is this user's, and others
 * cannot enter it: they could change objects, or read solutions. */
int objects_is_folder(const char *path);

/*
 * Put into WORK/out what compilers would make of files of WORK/src that are the
 * solution's or the skeleton's, and mark them in done[], by their number in the
 * plan. What cannot be taken is left to be compiled.
 */
void objects_reuse(const struct request *q, const struct place *p, char *done);

#endif
