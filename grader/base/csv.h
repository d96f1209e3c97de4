/*
 * csv.h: reading CSV (RFC 4180) from other programs
 *
 * Fields may be quoted, with doubled quotes inside; lines end in LF or CRLF; a
 * byte order mark is skipped. Empty lines are not rows.
 */
#ifndef GRADER_CSV_H
#define GRADER_CSV_H

#include <stddef.h>

struct csv_row {
    const char **field; /* nfields pointers into the copy of the file */
    int nfields;
    int line; /* line where it starts, from 1 */
};

struct csv {
    char *data;
    struct csv_row *row;
    int nrows;
};

/*
 * Parse a text. Returns 0, or -1 with "line: what is wrong" in err: a NUL, a
 * quote that isn't closed, text after a closing quote. Call csv_release() in
 * either case.
 */
int csv_parse(struct csv *c, const char *text, size_t nbytes, char *err,
              size_t err_nbytes);
void csv_release(struct csv *c);

/* The column with this name in the first row, in upper or lower case; -1 if
 * there is none. */
int csv_column(const struct csv *c, const char *name);

/* A row's field without surrounding blanks; "" if there is none. */
const char *csv_field(const struct csv_row *row, int column);

#endif
