/*
 * csv.h: reading CSV (RFC 4180) that somebody else wrote
 *
 * Fields may be quoted, quotes are doubled, lines end in LF or CRLF, a byte
 * order mark is skipped. Empty lines are no rows.
 */
#ifndef GRADER_CSV_H
#define GRADER_CSV_H

#include <stddef.h>

struct csv_row {
    const char **field; /* nfields of them, into the file's copy */
    int nfields;
    int line; /* where it begins, from 1 */
};

struct csv {
    char *data;
    struct csv_row *row;
    int nrows;
};

/* 0; or -1 with "line: what is wrong" in err: a NUL, a quote that isn't closed,
 * text after a closing quote. csv_release() in either case. */
int csv_parse(struct csv *c, const char *text, size_t nbytes, char *err,
              size_t err_nbytes);
void csv_release(struct csv *c);

/* The column of the first row that has this name, in any case; or -1. */
int csv_column(const struct csv *c, const char *name);

/* A row's field, without blanks around it; "" when there is no such one. */
const char *csv_field(const struct csv_row *row, int column);

#endif
