#include "grader/base/file.h"

#include <stdio.h>  /* fopen */
#include <string.h> /* memcmp */

enum { CHUNK = 65536 };

int file_copy(const char *from, const char *to)
{
    char chunk[CHUNK];
    FILE *const in = fopen(from, "re"), *const out =
                                            in ? fopen(to, "we") : NULL;
    size_t n;
    int ok = in && out;
    while (ok && (n = fread(chunk, 1, sizeof chunk, in)) > 0)
        ok = fwrite(chunk, 1, n, out) == n;
    if (in && (ferror(in) | fclose(in)))
        ok = 0;
    if (out && fclose(out) != 0)
        ok = 0;
    return ok ? 0 : -1;
}

int file_same(const char *a, const char *b)
{
    char of_a[CHUNK], of_b[CHUNK];
    FILE *const f = fopen(a, "re"), *const g = fopen(b, "re");
    int same = f && g;
    for (size_t n = 1, m; same && n > 0;) {
        n = fread(of_a, 1, sizeof of_a, f);
        m = fread(of_b, 1, sizeof of_b, g);
        same = n == m && memcmp(of_a, of_b, n) == 0;
    }
    if (f && (ferror(f) | fclose(f)))
        same = 0;
    if (g && (ferror(g) | fclose(g)))
        same = 0;
    return same;
}
