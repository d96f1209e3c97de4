#include "topo/nccl/cell.h"

#include <math.h> /* fmax, fmin, hypot, sqrt */

double cell_time(const struct topo *t, struct cell of, double nbytes)
{
    const double x = nbytes / (of.GBps * 1000);
    double fill = of.fill_us;
    if (fill > 0)
        fill *= sqrt(x / (x + t->fit->ramp * fill));
    if (of.loop > 0)
        fill = of.loop_us * fmin(1, nbytes / of.loop);
    else if (of.loop_us > 0)
        fill = fmin(fill, of.loop_us);
    if (of.step_us > 0)
        return of.us - of.hops_us + hypot(x, of.step_us) + fill;
    if (of.host_GBps == 0)
        return of.us + fmax(x + fill, of.part_us);
    return of.us + fmax(x, nbytes / (of.host_GBps * 1000)) + fill +
           of.wait_us * fmin(1, nbytes / of.wait);
}

double cell_host_us(const struct topo *t, struct cell of, double nbytes)
{
    const double us = cell_time(t, of, nbytes);
    of.host_GBps = of.wait_us = 0;
    return us - cell_time(t, of, nbytes);
}

struct cell cell_limits(const struct cell_table *table)
{
    struct cell limits = {0};
    for (int a = 0; a < TOPO_ALGOS; a++)
        for (int p = 0; p < TOPO_PROTOS; p++) {
            const struct cell *const x = &table->at[a][p];
            if (x->GBps > 0 && (limits.us == 0 || x->us < limits.us))
                limits.us = x->us;
            if (x->GBps > limits.GBps)
                limits.GBps = x->GBps;
        }
    return limits;
}

void cell_split(struct cell_table *table, double part_us)
{
    table->at[TOPO_P2P][TOPO_LL].part_us = 2 * part_us;
    table->at[TOPO_P2P][TOPO_SIMPLE].part_us = part_us;
}
