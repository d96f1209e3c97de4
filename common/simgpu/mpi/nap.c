#include "mpi/nap.h"

#include <sched.h>  /* sched_yield */
#include <unistd.h> /* usleep */

enum { YIELDS = 50, SHORT_US = 20, LONGER = 30, LONG_US = 1000 };

void nap(struct nap *n)
{
    if (n->naps++ < YIELDS) {
        sched_yield();
        return;
    }
    const unsigned us = SHORT_US + (n->naps - YIELDS) * SHORT_US / LONGER;
    usleep(us < LONG_US ? us : LONG_US);
}
