#include "grader/job/request.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strcspn */

int request_next_case(const char **list, char name[REQUEST_NAME])
{
    if (!*list)
        return 0;
    const size_t n = strcspn(*list, ",");
    snprintf(name, REQUEST_NAME, "%.*s", (int)n, *list);
    *list = (*list)[n] ? *list + n + 1 : NULL;
    return 1;
}

int request_has_case(const struct request *r, const char *name)
{
    char listed[REQUEST_NAME];
    for (const char *left = r->cases; request_next_case(&left, listed);)
        if (strcmp(listed, name) == 0)
            return 1;
    return !r->cases;
}
