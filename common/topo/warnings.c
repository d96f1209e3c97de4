/*
 * warnings.c: what a machine's file says that costs time, and may be wrong
 *
 * Files of virtual machines hide switches, report links of one lane, and name
 * NVLinks that lead nowhere. NCCL believes them, and so does the model; a
 * warning says what follows.
 */
#include <stdio.h>  /* snprintf */
#include <string.h> /* strcpy */

#include "topo/machine.h"
#include "topo/route.h"

struct warnings {
    const struct topo *t;
    topo_remark *say;
    void *user;
};

/* No GPU that computes is connected by less: two lanes of the third
 * generation. */
static const double SLOW_GBPS = 1.6;

/* "GPU 0 (0000:1b:00.0)", followed by " and 3 more" if there are others. */
static const char *gpus(const struct topo *t, int first, int n, char out[80])
{
    const int at =
        snprintf(out, 80, "GPU %d (%.16s)", first, t->gpu[first].bus_id);
    if (n > 1)
        snprintf(out + at, 80 - (size_t)at, " and %d more", n - 1);
    return out;
}

/* The slowest <pci> between a GPU and its CPU. */
static const struct machine_pci *slowest(const struct topo *t, int gpu)
{
    const struct machine_pci *found = &t->pci[t->gpu[gpu].pci];
    for (int i = t->gpu[gpu].pci; i >= 0; i = t->pci[i].parent)
        if (machine_pcie(t, &t->pci[i]) < machine_pcie(t, found))
            found = &t->pci[i];
    return found;
}

static void warn_of_bridges(const struct warnings *w)
{
    const struct topo *const t = w->t;
    const struct machine_pci *p = NULL;
    int first = -1, n = 0;
    char line[400], name[80];
    for (int i = 0; i < t->ngpus; i++) {
        const struct machine_pci *const s = slowest(t, i);
        if (t->gpu[i].c2c_GBps > 0 || machine_pcie(t, s) >= SLOW_GBPS)
            continue;
        if (n++ == 0) {
            first = i;
            p = s;
        }
    }
    if (n == 0)
        return;
    snprintf(line, sizeof line,
             "%s: <pci busid=\"%.16s\"> has %d lane%s of %g GT/s, so host to "
             "GPU takes %.1f GB/s. If that is a virtual machine's bridge, "
             "which data don't cross, delete its link_speed and link_width",
             gpus(t, first, n, name), p->bus_id, p->width,
             p->width == 1 ? "" : "s", p->lane_gts, machine_pcie(t, p));
    w->say(w->user, line);
}

static int has_nvlink(const struct topo *t, int gpu)
{
    int n = t->gpu[gpu].switch_links;
    for (int i = 0; i < t->ngpus; i++)
        n += t->nvlinks[gpu][i];
    return n > 0;
}

static void warn_of_nvlinks(const struct warnings *w)
{
    const struct topo *const t = w->t;
    int loops = 0, loop = -1, without = 0, lone = -1;
    char line[400], name[80];
    for (int i = t->ngpus - 1; i >= 0; i--) {
        if (t->gpu[i].self_links && ++loops)
            loop = i;
        if (!has_nvlink(t, i) && ++without)
            lone = i;
    }
    if (loops) {
        snprintf(line, sizeof line,
                 "%s: its NVLinks lead to itself, as a bridge does whose other "
                 "end the file doesn't name. They count as none: these GPUs "
                 "reach others over PCIe",
                 gpus(t, loop, loops, name));
        w->say(w->user, line);
    }
    if (without == 0 || without == t->ngpus)
        return;
    snprintf(line, sizeof line,
             "%s: without NVLink among others that have it. Its traffic takes "
             "PCIe, %.1f GB/s, and all collectives with it wait for that",
             gpus(t, lone, without, name), machine_pcie(t, slowest(t, lone)));
    w->say(w->user, line);
}

/* Why NCCL stages bytes between a GPU and its NIC in the host's memory. */
static void why_staged(const struct topo *t, int gpu, int nic, char out[80])
{
    if (t->gpu[gpu].no_gdr)
        strcpy(out, "the GPU has gdr=\"0\"");
    else if (t->nic[nic].no_gdr)
        strcpy(out, "the NIC has gdr=\"0\"");
    else
        snprintf(out, 80, "it is %s away, and NCCL's limit is PXB",
                 reach_names[route_nic_reach(t, gpu, nic)]);
}

static void warn_of_staging(const struct warnings *w)
{
    const struct topo *const t = w->t;
    int first = -1, n = 0;
    char line[400], name[80], why[80];
    for (int i = t->ngpus - 1; i >= 0; i--)
        if (t->gpu[i].staged && ++n)
            first = i;
    if (n == 0 || t->cal.fabric.socket_GBps > 0 || t->nccl.gdr_given ||
        t->no_nic)
        return; // said by the network's name, or asked for
    const int nic = route_nic(t, first);
    why_staged(t, first, nic, why);
    snprintf(line, sizeof line,
             "%s: without GPUDirect to its NIC, %.24s (%s). What it %sreceives "
             "from other nodes passes through the host, %.1f GB/s",
             gpus(t, first, n, name), t->nic[nic].name, why,
             has_nvlink(t, first) ? "" : "sends to and ",
             t->resource[t->gpu[first].from_net].rate * 1e-9);
    w->say(w->user, line);
}

void topo_warnings(const struct topo *t, topo_remark *say, void *user)
{
    const struct warnings w = {t, say, user};
    warn_of_bridges(&w);
    warn_of_nvlinks(&w);
    warn_of_staging(&w);
}
