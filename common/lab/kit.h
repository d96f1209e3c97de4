/*
 * kit.h: where a program in a build folder finds the kit's files
 */
#ifndef COMMLAB_LAB_KIT_H
#define COMMLAB_LAB_KIT_H

#include <stddef.h>

/*
 * Set dir to grader/plans of the kit that this program was built in, which is
 * searched for upwards from the program, or to COMMLAB_PLANS. Returns 0, or -1
 * if the folder has no plan for this lab.
 */
int kit_plans(char *dir, size_t nbytes);

/*
 * Set path to the answers.txt next to this program's sources: in solutions/ if
 * the program is in a folder of that name, otherwise in labs/; or to
 * COMMLAB_ANSWERS. The file need not exist.
 */
void kit_answers(char *path, size_t nbytes);

#endif
