#include "grader/sandbox/log.h"

#include <string.h> /* memmove */

static void copy(char *to, const char *from, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++)
        to[i] = from[i] ? from[i] : '?';
    to[nbytes] = 0;
}

/* Keep the last LOG_TAIL bytes of the old tail and the new data. */
static void add_tail(struct log *l, const char *data, size_t nbytes)
{
    const size_t add = nbytes < LOG_TAIL ? nbytes : LOG_TAIL;
    const size_t keep = l->ntail + add > LOG_TAIL ? LOG_TAIL - add : l->ntail;
    l->dropped += l->ntail - keep + nbytes - add;
    memmove(l->tail, l->tail + l->ntail - keep, keep);
    copy(l->tail + keep, data + nbytes - add, add);
    l->ntail = keep + add;
}

void log_add(struct log *l, const char *data, size_t nbytes)
{
    const size_t room = LOG_HEAD - l->nhead;
    const size_t first = nbytes < room ? nbytes : room;
    copy(l->head + l->nhead, data, first);
    l->nhead += first;
    if (first < nbytes)
        add_tail(l, data + first, nbytes - first);
}
