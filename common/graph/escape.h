/*
 * escape.h: names and call sites in JSON and XML
 *
 * They come from students' programs, so they must not be able to end a string
 * or to begin a tag. Bytes that are not printable ASCII become '?'.
 */
#ifndef COMMLAB_GRAPH_ESCAPE_H
#define COMMLAB_GRAPH_ESCAPE_H

#include <stdio.h>

void escape_json(FILE *f, const char *text); /* inside a string */
void escape_xml(FILE *f, const char *text);  /* text, or inside "" */

#endif
