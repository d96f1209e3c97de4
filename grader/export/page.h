/*
 * page.h: pages that show JSON: a class' site, the live page, shared code
 *
 * A page is one file that needs no network: page/page.html, with the style, the
 * data and the scripts in it. It can be read on a phone, in print and by a
 * screen reader; colours follow the reader's setting. Its
 * Content-Security-Policy names the script by its hash: no other can run, and
 * what the script shows of the data is text, never HTML.
 */
#ifndef GRADER_PAGE_H
#define GRADER_PAGE_H

#include <jansson.h>
#include <stdio.h>

#include "grader/export/export.h"

enum page { /* page/live.js ... */
            PAGE_LIVE,
            PAGE_CLASS,
            PAGE_STUDENT,
            PAGE_DIFF,
            PAGE_SIMILAR,
            PAGE_PAIR,
};

/* Write the page, and release the data, which is NULL if memory ran out.
 * refresh: the seconds after which a browser reloads the page; 0: never. */
void page_write(FILE *f, enum page page, const char *title, int refresh,
                json_t *data);

/* A person's or a program's words, made harmless. */
json_t *page_text(const char *text);

/* How many students have how many points: 20 counts, from none to all. */
json_t *page_scores(const struct export *e);

#endif
