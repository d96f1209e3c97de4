#include "base/size.h"

#include <stdlib.h> /* strtoull */
#include <string.h> /* strchr */

int size_parse(const char *text, uint64_t *nbytes)
{
    static const char units[] = "KMG";
    char *end;
    if (*text < '0' || *text > '9')
        return -1;
    *nbytes = strtoull(text, &end, 10);
    const char *const unit = *end ? strchr(units, *end) : NULL;
    if (unit) {
        *nbytes <<= 10 * (unit - units + 1);
        end++;
    }
    return *end ? -1 : 0;
}
