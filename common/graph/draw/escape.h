/*
 * escape.h: writing names and call sites into JSON and XML
 *
 * Names and call sites come from students' programs, so they must not be able
 * to end a string or to start a tag. Bytes that are not printable ASCII become
 * '?'.
 */
#ifndef COMMLAB_GRAPH_ESCAPE_H
#define COMMLAB_GRAPH_ESCAPE_H

#include <stdio.h>

void escape_json(FILE *f, const char *text); /* for the inside of a string */
void escape_xml(FILE *f, const char *text);  /* for text, or the inside of "" */

#endif
