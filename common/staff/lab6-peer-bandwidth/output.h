/*
 * output.h: the files that lab 6's commands write
 */
#ifndef COMMLAB_LAB6_OUTPUT_H
#define COMMLAB_LAB6_OUTPUT_H

#include <stdio.h> /* FILE */

/* Open a file for writing, on behalf of the command of this name
 * ("--placement"). Returns NULL after a message. */
FILE *output_open(const char *command, const char *path);

/* Close the file. Returns 0, or -1 after a message if not all of it was
 * written. */
int output_close(FILE *f, const char *command, const char *path);

#endif
