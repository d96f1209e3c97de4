/*
 * matrix.c: the matrix of nvidia-smi topo -m
 */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* strtoul */
#include <string.h> /* strlen */

#include "topo/route.h"

int topo_nnics(const struct topo *t)
{
    return t->nnics;
}

const char *topo_nic_name(const struct topo *t, int nic)
{
    return nic >= 0 && nic < t->nnics ? t->nic[nic].name : NULL;
}

/* Find the CPU and the <pci> that an end is attached to. */
static void place_of(const struct topo *t, int end, int *cpu, int *pci)
{
    const int nic = end - t->ngpus;
    *pci = nic < 0 ? t->gpu[end].pci : t->nic[nic].pci;
    *cpu = nic < 0 ? t->pci[*pci].cpu : t->nic[nic].cpu;
}

const char *topo_link(const struct topo *t, int end_a, int end_b, char out[8])
{
    const int nends = t->ngpus + t->nnics;
    int cpu_a, pci_a, cpu_b, pci_b, nvlinks = 0;
    if (end_a < 0 || end_b < 0 || end_a >= nends || end_b >= nends)
        return NULL;
    if (end_a < t->ngpus && end_b < t->ngpus)
        nvlinks = route_nvlinks(t, end_a, end_b);
    place_of(t, end_a, &cpu_a, &pci_a);
    place_of(t, end_b, &cpu_b, &pci_b);
    if (end_a == end_b)
        snprintf(out, 8, "X");
    else if (nvlinks)
        snprintf(out, 8, "NV%d", nvlinks);
    else
        snprintf(out, 8, "%s",
                 reach_names[route_reach(t, cpu_a, pci_a, cpu_b, pci_b)]);
    return out;
}

/* True if `core` is in a mask of hexadecimal digits, most significant first,
 * which may contain commas anywhere. */
static int in_mask(const char *mask, int core)
{
    for (size_t i = strlen(mask); i-- > 0;) {
        const char digit[2] = {mask[i]};
        if (mask[i] == ',')
            continue;
        if (core < 4)
            return (int)(strtoul(digit, NULL, 16) >> core & 1);
        core -= 4;
    }
    return 0;
}

const char *topo_cores(const struct topo *t, int gpu, char *out, size_t nbytes)
{
    const struct topo_gpu *const g = topo_gpu(t, gpu);
    size_t at = 0;
    if (!g)
        return NULL;
    const char *const mask = t->cpu[t->pci[t->gpu[g->local].pci].cpu].affinity;
    const int ncores = 4 * (int)strlen(mask);
    out[0] = 0;
    for (int core = 0; core < ncores && at < nbytes; core++) {
        if (!in_mask(mask, core))
            continue;
        const int first = core;
        while (core + 1 < ncores && in_mask(mask, core + 1))
            core++;
        at += (size_t)snprintf(out + at, nbytes - at,
                               first == core ? "%s%d" : "%s%d-%d",
                               at ? "," : "", first, core);
    }
    return out;
}
