/*
 * export_pages.h: pages of a class' site, for export_html()
 */
#ifndef GRADER_EXPORT_PAGES_H
#define GRADER_EXPORT_PAGES_H

#include "grader/export/export.h"
#include "judge/plan.h"

/* Write students/KEY.html and, if there are any, its timeline KEY.svg and
 * KEY.view.html, a page to look closer. If the plan is known (not NULL) and
 * there is an earlier attempt, write KEY.diff.html, too. Returns -1 after
 * printing why. */
int export_student_page(const struct export *e, const struct row *r,
                        const struct plan *p);

/* How many of the class's cases pass, have some points, fail and were not
 * written; and why cases have no points, most frequent first. */
json_t *export_class_cases(const struct export *e);
json_t *export_class_reasons(const struct export *e);

/* For grading by hand: the question that is answered in words, its rubric, and
 * each student's answer and prediction; null if the lab has neither. */
struct place;
json_t *export_class_words(const struct export *e, const struct place *p);

#endif
