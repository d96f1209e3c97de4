#include "graph/draw/view_writer.h"

#include <string.h> /* strlen */

int64_t view_string(struct view_writer *w, const char *text)
{
    int is_new;
    if (!text[0])
        return 0;
    const uint32_t id = intern_id(&w->strings, text, strlen(text) + 1, &is_new);
    w->failed |= id == 0;
    return id;
}

int64_t view_match(struct view_writer *w, uint32_t at)
{
    uint32_t n;
    const uint32_t *const member = graph_matched(w->g, at, &n);
    for (uint32_t i = 0; i < n; i++)
        if (w->number[member[i]] != GRAPH_NOWHERE)
            return w->number[member[i]];
    return -1;
}
