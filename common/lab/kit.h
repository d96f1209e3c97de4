/*
 * kit.h: where the kit's files are, for a program that its build has made
 */
#ifndef COMMLAB_LAB_KIT_H
#define COMMLAB_LAB_KIT_H

#include <stddef.h>

/*
 * The folder grader/plans of the kit that this program was built in: above the
 * program, or COMMLAB_PLANS. 0, or -1 if there is none that has this lab's plan.
 */
int kit_plans(char *dir, size_t nbytes);

/*
 * The answers.txt beside the sources of this program: those of solutions/ for a
 * program in a folder of that name, else those of labs/; or COMMLAB_ANSWERS. It
 * need not exist.
 */
void kit_answers(char *path, size_t nbytes);

#endif
