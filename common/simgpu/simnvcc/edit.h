/*
 * edit.h: replacements in a text, which can be added in any order
 */
#ifndef SIMNVCC_EDIT_H
#define SIMNVCC_EDIT_H

#include <stddef.h>
#include <stdio.h> /* FILE */

struct edit { /* replace [begin, end) by `with` */
    size_t begin, end, order;
    char *with;
};

struct edits {
    struct edit *edit;
    size_t n, cap;
};

/* Add an edit; takes ownership of `with`. Edits must not overlap. Those at the
 * same place keep their order. */
void edits_add(struct edits *e, size_t begin, size_t end, char *with);
void edits_addf(struct edits *e, size_t begin, size_t end, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

/* Write the edited text, and release the edits. */
void edits_write(struct edits *e, const char *text, FILE *out);

#endif
