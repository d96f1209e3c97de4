#define _GNU_SOURCE
#include "whole.h"

#include <stdio.h>  /* getdelim, popen */
#include <stdlib.h> /* calloc */
#include <string.h> /* strcmp */

int whole_packed(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && strcmp(dot, ".gz") == 0;
}

static FILE *open_packed(const char *path)
{
    char command[4200];
    snprintf(command, sizeof command, "gzip -dc < '%s'", path);
    return popen(command, "re");
}

char *whole_file(const char *path)
{
    char *text = NULL;
    size_t room = 0;
    const int packed = whole_packed(path);
    FILE *const f = packed ? open_packed(path) : fopen(path, "re");
    if (!f)
        return NULL;
    if (getdelim(&text, &room, 0, f) < 0) {
        free(text);
        text = ferror(f) ? NULL : calloc(1, 1); // the file ended at once
    }
    if ((packed ? pclose(f) : fclose(f)) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}
