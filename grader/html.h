/*
 * html.h: what the pages of a class' site have in common
 *
 * Static pages, readable on a phone, in print and by a screen reader; colours
 * follow the reader's setting. All text goes through html_text(). A page may
 * have one script, ours, which its Content-Security-Policy names by its hash:
 * no other can run.
 */
#ifndef GRADER_HTML_H
#define GRADER_HTML_H

#include <stdio.h>

#include "export.h"

/* script: JavaScript, or NULL; html_end() writes it too. refresh: the page is
 * loaded again every so many seconds; 0: never. */
void html_begin(FILE *f, const char *title, const char *script, int refresh);
void html_end(FILE *f, const char *script);

/* A person's or a program's words, made harmless. */
void html_text(FILE *f, const char *text);

/* "pass", in the colour of an outcome. */
void html_outcome(FILE *f, const char *outcome);

/* Points, without a needless ".00". */
void html_points(FILE *f, double points);

/* A bar of parts, as wide as its column: counts of pass, partial, fail, and
 * those that were not written. */
void html_bar(FILE *f, const int count[4]);

/* "<table ...><caption>caption</caption><thead><tr>" and a header cell for each
 * of the columns, which are separated by |; one that begins with # is of
 * numbers. `more` are attributes of the table. */
void html_table(FILE *f, const char *more, const char *caption,
                const char *columns);

/* How many students have how many points: a histogram. */
void html_histogram(FILE *f, const struct export *e);

#endif
