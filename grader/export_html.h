/*
 * export_html.h: pages of a class' site, for export_html()
 */
#ifndef GRADER_EXPORT_HTML_H
#define GRADER_EXPORT_HTML_H

#include "export.h"
#include "judge/plan.h"

/* students/KEY.html; with its timeline, KEY.svg, and a page to look closer,
 * KEY.view.html, if there are any; if the plan is known (not NULL) and there is
 * an attempt before, KEY.diff.html. -1 having said why. */
int export_student_page(const struct export *e, const struct row *r,
                        const struct plan *p);

/* The case table, and why cases have no points: of the class. */
void export_case_tables(FILE *f, const struct export *e);

#endif
