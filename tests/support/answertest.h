/*
 * answertest.h: checks of questions whose numbers are drawn for each student
 */
#ifndef COMMLAB_TESTS_ANSWERTEST_H
#define COMMLAB_TESTS_ANSWERTEST_H

/* True if the lab asks questions. */
int answertest_applies(const char *lab);

/* Check that solutions/LAB/answers.txt is what `plan --answers` writes for
 * SUITE_STUDENT, and gets all points under that name. */
void answertest_solution(const char *lab);

/*
 * Check that another student's answers from `plan --answers` get all points
 * under that student's name, and that those of SUITE_STUDENT get less than
 * half.
 */
void answertest_neighbour(const char *lab);

/* Check a class of 60 students: no two have the same numbers, and a student who
 * copies gets at most a third of the points on average. */
void answertest_students(const char *lab);

#endif
