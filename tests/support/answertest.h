/*
 * answertest.h: questions whose numbers are drawn for each student
 */
#ifndef COMMLAB_TESTS_ANSWERTEST_H
#define COMMLAB_TESTS_ANSWERTEST_H

/* True if the lab asks questions. */
int answertest_applies(const char *lab);

/* solutions/LAB/answers.txt is what `plan --answers` writes for SUITE_STUDENT,
 * and gets all points under that name. */
void answertest_solution(const char *lab);

/* Another student's answers from `plan --answers` get all points under the
 * student's name; those of SUITE_STUDENT get less than half of them. */
void answertest_neighbour(const char *lab);

/* Of all pairs in a class of 60, no two have all numbers in common, and who
 * copies gets at most a third of the points on average. */
void answertest_students(const char *lab);

#endif
