#include "grader/base/names.h"

#include <stdio.h>  /* fscanf */
#include <stdlib.h> /* qsort */
#include <string.h> /* strdup */

void names_add(struct names *s, const char *name)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->v = realloc(s->v, s->cap * sizeof *s->v);
    }
    if (!s->v || !(s->v[s->n++] = strdup(name)))
        abort();
    s->sorted = 0;
}

int names_load(struct names *s, const char *path)
{
    char word[1024];
    FILE *const f = fopen(path, "re");
    if (!f)
        return -1;
    while (fscanf(f, "%1023s", word) == 1)
        names_add(s, word);
    fclose(f);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int names_have(struct names *s, const char *name)
{
    if (s->n == 0)
        return 0;
    if (!s->sorted)
        qsort(s->v, s->n, sizeof *s->v, by_text);
    s->sorted = 1;
    return bsearch(&name, s->v, s->n, sizeof *s->v, by_text) != NULL;
}

void names_release(struct names *s)
{
    for (size_t i = 0; i < s->n; i++)
        free(s->v[i]);
    free(s->v);
    *s = (struct names){.n = 0};
}
