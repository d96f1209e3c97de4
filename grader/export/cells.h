/*
 * cells.h: the cells of a gradebook
 *
 * Each function writes a cell of CSV, and then `end`: a comma or a newline.
 */
#ifndef GRADER_CELLS_H
#define GRADER_CELLS_H

#include <stdio.h>

#include "grader/intake/roster.h"

void cells_text(FILE *f, const char *text, char end);

/* The student's login, unaltered (text_csv_key()). */
void cells_login(FILE *f, const struct student *s, char end);

/* A number or, if it isn't known, what the format has for none. */
void cells_number(FILE *f, int known, double value, const char *none, char end);

/* What Canvas heads a column with: "TITLE (NUMBER)". Without a number of the
 * assignment (NULL), the title alone. */
void cells_canvas_title(FILE *f, const char *title, const char *assignment,
                        char end);

#endif
