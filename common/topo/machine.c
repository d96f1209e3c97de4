#include "topo/machine.h"

#include <string.h> /* strcmp */

/*
 * PCIe generations. lane: GB/s of one lane, one way, nominal. eff: the share of
 * it that copies achieve, which is 25 of 32 GB/s over 16 lanes of the fourth
 * generation and 55 of 64 of the fifth; estimates for the others. nccl: GB/s of
 * one lane that NCCL 2.30.7 assumes (src/graph/topo.cc, kvDictPciGen / 80).
 */
// clang-format off
static const struct {
    double gts, lane, eff, nccl;
} generations[] = {
    /* GT/s  lane   eff   nccl */
    {  2.5,  .25,  .75,   .19},
    {  5,    .5,   .75,   .375},
    {  8,   1,     .75,   .75},
    { 16,   2,     .78,  1.5},
    { 32,   4,     .86,  3},
    { 64,   8,     .86,  6},
};
// clang-format on

/* The generation of a link; 3 if the file doesn't say, as NCCL assumes. */
static int generation(const struct machine_pci *p)
{
    for (int i = 0; i < 6; i++)
        if (p->lane_gts > generations[i].gts * .99 &&
            p->lane_gts < generations[i].gts * 1.01)
            return i;
    return 2;
}

static int lanes(const struct machine_pci *p)
{
    return p->width > 0 && p->width <= 32 ? p->width : 16;
}

int machine_same_host(const struct topo *t, int a, int b)
{
    return strcmp(t->cpu[a].host, t->cpu[b].host) == 0;
}

double machine_pcie(const struct topo *t, const struct machine_pci *p)
{
    const int g = generation(p);
    const double eff =
        t->cal.links.pcie_eff > 0 ? t->cal.links.pcie_eff : generations[g].eff;
    return generations[g].lane * eff * lanes(p);
}

double machine_nccl_pcie(const struct machine_pci *p)
{
    return generations[generation(p)].nccl * lanes(p);
}

/* ---- a loaded machine, as topo.h shows it -------------------------------- */

const char *topo_name(const struct topo *t)
{
    return t->name;
}

int topo_ngpus(const struct topo *t)
{
    return t->ngpus * t->nnodes;
}

int topo_nnodes(const struct topo *t)
{
    return t->nnodes;
}

const struct topo_gpu *topo_gpu(const struct topo *t, int gpu)
{
    return gpu >= 0 && gpu < topo_ngpus(t) ? &t->gpus[gpu] : NULL;
}

int topo_nresources(const struct topo *t)
{
    return t->nresources;
}

const struct topo_resource *topo_resource(const struct topo *t, int resource)
{
    return resource >= 0 && resource < t->nresources ? &t->resource[resource]
                                                     : NULL;
}

int topo_compute(const struct topo *t, int gpu, enum topo_math math)
{
    const struct topo_gpu *const g = topo_gpu(t, gpu);
    return g && math < TOPO_MATHS && t->gpu[g->local].compute[math] >= 0
               ? t->gpu[g->local].compute[math] + g->node * t->per_node
               : -1;
}

int topo_memory(const struct topo *t, int32_t place)
{
    const struct topo_gpu *const g = topo_gpu(t, place);
    if (g)
        return t->gpu[g->local].memory + g->node * t->per_node;
    if (place >= 0 || TOPO_HOST_NODE(place) >= t->nnodes ||
        TOPO_HOST_CPU(place) >= t->ncpus)
        return -1;
    const int cpu = TOPO_HOST_CPU(place);
    return (cpu < 0 ? t->host : t->cpu[cpu].memory) +
           TOPO_HOST_NODE(place) * t->per_node;
}

int topo_numa_place(const struct topo *t, int gpu, int numa, int32_t *place)
{
    const struct topo_gpu *const g = topo_gpu(t, gpu);
    const int near = g ? t->pci[t->gpu[g->local].pci].cpu : -1;
    for (int cpu = 0; g && cpu < t->ncpus; cpu++)
        if (t->cpu[cpu].numa == numa && machine_same_host(t, cpu, near)) {
            *place = TOPO_CPU_PLACE(g->node, cpu);
            return 0;
        }
    return -1;
}

const struct topo_costs *topo_costs(const struct topo *t)
{
    return &t->costs;
}
