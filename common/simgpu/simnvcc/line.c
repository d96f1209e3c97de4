#include "line.h"

#include <string.h> /* memcpy */

const char *line_copy(const char *text, char out[LINE_NBYTES])
{
    size_t n = 0;
    while (n < LINE_NBYTES - 1 && text[n] && text[n] != '\n')
        n++;
    memcpy(out, text, n);
    out[n] = 0;
    return out;
}
