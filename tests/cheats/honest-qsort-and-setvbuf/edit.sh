# The C library: qsort, bsearch, strtok, sscanf, assert; output without a
# buffer.
sed -i '/#include "lab\/try.h"/i #include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <limits.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>' flat.c
cat > tail.c <<'C'

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static int odd_strings(void)
{
    char text[] = "rank=3, count=17; x", copy[32] = "", *rest;
    int rank = 0, count = 0;
    size_t sizes[] = {5, 3, 9, 1}, key = 9;
    setvbuf(stderr, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    qsort(sizes, 4, sizeof *sizes, by_size);
    assert(bsearch(&key, sizes, 4, sizeof *sizes, by_size) == &sizes[3]);
    if (sscanf(text, "rank=%d, count=%d", &rank, &count) != 2)
        return 0;
    for (char *w = strtok_r(text, ",; ", &rest); w; w = strtok_r(NULL, ",; ", &rest))
        strncat(copy, w, sizeof copy - strlen(copy) - 1);
    char *const again = strdup(copy);
    memmove(again, again + 1, strlen(again));
    again[0] = (char)toupper((unsigned char)again[0]);
    errno = 0;
    const long n = strtol("12x", &rest, 10);
    const int ok = strstr(again, "count") && n == 12 && *rest == 'x' && errno == 0 && isdigit('3') && abs(-3) == rank && INT_MAX > 1;
    if (!ok)
        perror("odd"), fprintf(stderr, "%s %s\n", again, strerror(errno));
    free(again);
    return ok;
}
C
sed -i '/#include "lab\/try.h"/r tail.c' flat.c && rm tail.c
sed -i '0,/    const size_t n = (size_t)nranks;/s//    assert(odd_strings());\n    const size_t n = (size_t)nranks;/' flat.c
