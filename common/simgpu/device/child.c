#include "device/child.h"

#include <stdlib.h> /* malloc */

#include "device/runner.h"

struct child {
    struct child *next;
    struct launch launch;
    void (*release)(const struct launch *l);
};

int child_launch(const struct launch *l, int tail,
                 void (*release)(const struct launch *l))
{
    struct children *const c = runner_me->grid->children;
    struct child *const child = malloc(sizeof *child);
    if (!child)
        return 0;
    *child = (struct child){NULL, *l, release};
    if (!c->first[tail])
        c->end[tail] = &c->first[tail];
    *c->end[tail] = child;
    c->end[tail] = &child->next;
    return 1;
}

struct child *child_take(struct children *c)
{
    const int tail = !c->first[0];
    struct child *const child = c->first[tail];
    if (child)
        c->first[tail] = child->next;
    return child;
}

const struct launch *child_launched(const struct child *c)
{
    return &c->launch;
}

void child_free(struct child *c)
{
    c->release(&c->launch);
    free(c);
}
