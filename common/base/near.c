#define _GNU_SOURCE
#include "base/near.h"

#include <string.h> /* strnlen */

int near_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    int row[MOST + 1];
    const int na = (int)strnlen(a, MOST), nb = (int)strnlen(b, MOST);
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int replace = diagonal + (a[i - 1] != b[j - 1]);
            const int other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = replace < other ? replace : other;
        }
    }
    return row[nb];
}

void near_try(struct near *n, const char *word, const char *known, int most)
{
    const int d = near_distance(word, known);
    if (d <= most && (!n->name || d < n->distance))
        *n = (struct near){known, d};
}
