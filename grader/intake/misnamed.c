#include "grader/intake/misnamed.h"

#include <string.h>  /* strlen */
#include <strings.h> /* strcasecmp */

/* The length of a name without extensions that a source's name may get. */
static size_t stem_of(const char *name)
{
    static const char *const ends[] = {".txt", ".c", ".cu", ".cpp", ".cc"};
    enum { NENDS = sizeof ends / sizeof *ends };
    size_t n = strlen(name);
    for (int i = 0; i < NENDS; i++) {
        const size_t m = strlen(ends[i]);
        if (n > m && strncasecmp(name + n - m, ends[i], m) == 0) {
            n -= m;
            i = -1; // p2p.c.txt has two
        }
    }
    return n;
}

/* The number of bytes with which both names begin, in either case. */
static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && strncasecmp(a + n, b + n, 1) == 0)
        n++;
    return n;
}

/* True if a name is the wanted one with another extension or with a number, a
 * word in between. */
static int is_like(const char *name, const char *wanted)
{
    const size_t n = stem_of(name), stem = stem_of(wanted);
    if (n == strlen(name) || n < stem || strncasecmp(name, wanted, stem) != 0)
        return 0;
    return n == stem || strchr(" -_(.", name[stem]);
}

/* True for a name that can be printed as it is. */
static int is_plain(const char *name)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (name[i] < ' ' || name[i] > '~')
            return 0;
    return n < MISNAMED_MOST;
}

/* How much a name agrees with the wanted one: first in its beginning, then in
 * the full name (of a.c.txt a.c, not a.cu) or in the extension. */
static size_t agreement(const char *name, const char *wanted)
{
    const size_t same = common(name, wanted);
    const char *const a = strrchr(name, '.'), *const b = strrchr(wanted, '.');
    return 2 * same + (!wanted[same] || (a && b && strcasecmp(a, b) == 0));
}

int misnamed_find(const char *name, const char *const *wanted, int n)
{
    int best = -1;
    size_t most = 0;
    for (int i = 0; i < n; i++) {
        if (strcasecmp(name, wanted[i]) == 0)
            return -1;
        const size_t much = agreement(name, wanted[i]);
        if (is_like(name, wanted[i]) && much > most) {
            best = i;
            most = much;
        }
    }
    return is_plain(name) ? best : -1;
}
