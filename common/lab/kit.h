/*
 * kit.h: the kit's files, for a program in its build folder
 */
#ifndef COMMLAB_LAB_KIT_H
#define COMMLAB_LAB_KIT_H

#include <stddef.h>

/*
 * Set dir to the folder grader/plans of the kit that this program was built in:
 * found above the program, or COMMLAB_PLANS. 0, or -1 if it has no plan for
 * this lab.
 */
int kit_plans(char *dir, size_t nbytes);

/*
 * Set path to the answers.txt next to this program's sources: in solutions/ for
 * a program in a folder of that name, otherwise in labs/; or COMMLAB_ANSWERS.
 * The file need not exist.
 */
void kit_answers(char *path, size_t nbytes);

#endif
