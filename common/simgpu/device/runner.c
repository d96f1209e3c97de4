#include "device/runner.h"

void runner_wait_turn(struct runner *r)
{
    struct grid *const g = r->grid;
    pthread_mutex_lock(&g->lock);
    while (g->turn != r->index)
        pthread_cond_wait(&r->turned, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

void runner_give_turn(struct grid *g, int to)
{
    pthread_mutex_lock(&g->lock);
    g->turn = to;
    pthread_cond_signal(&g->runner[to]->turned); // it alone waits there
    pthread_mutex_unlock(&g->lock);
}

int runner_next(const struct runner *r)
{
    const struct grid *const g = r->grid;
    int i = r->index;
    do
        i = (i + 1) % g->nrunners;
    while (g->runner[i]->ended && i != r->index);
    return i;
}

void runner_pass_turn(struct runner *r)
{
    ++*r->grid->pulse;
    runner_give_turn(r->grid, runner_next(r));
    runner_wait_turn(r);
}

void runner_stop(void)
{
    runner_me->grid->next = runner_me->grid->n;
}
