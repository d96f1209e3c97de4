/*
 * commgraph topo: show a machine as nvidia-smi topo -m does
 */
#include <string.h> /* strcmp */

#include "command.h"

static const char legend[] =
    "\nLegend:\n\n"
    "  X    = Self\n"
    "  SYS  = Connection traversing PCIe as well as the interconnect between\n"
    "         NUMA nodes (e.g., QPI/UPI)\n"
    "  PHB  = Connection traversing PCIe as well as a PCIe host bridge (the "
    "CPU)\n"
    "  PXB  = Connection traversing multiple PCIe bridges (without the CPU)\n"
    "  PIX  = Connection traversing at most a single PCIe bridge\n"
    "  NV#  = Connection traversing a bonded set of # NVLinks\n";

static void print_end(const struct topo *t, int end, int nends)
{
    const int ngpus = nends - topo_nnics(t);
    char link[8], cores[256];
    printf(end < ngpus ? "GPU%d" : "NIC%d", end < ngpus ? end : end - ngpus);
    for (int other = 0; other < nends; other++)
        printf("\t%s%s", other == end ? " " : "",
               topo_link(t, end, other, link));
    if (end < ngpus)
        printf("\t%s\t%d", topo_cores(t, end, cores, sizeof cores),
               topo_gpu(t, end)->numa);
    printf("\n");
}

static void print_machine(const struct topo *t)
{
    const int nnics = topo_nnics(t);
    const int ngpus = topo_ngpus(t) / topo_nnodes(t);
    for (int i = 0; i < ngpus; i++)
        printf("\tGPU%d", i);
    for (int i = 0; i < nnics; i++)
        printf("\tNIC%d", i);
    printf("\tCPU Affinity\tNUMA Affinity\n");
    for (int end = 0; end < ngpus + nnics; end++)
        print_end(t, end, ngpus + nnics);
    fputs(legend, stdout);
    if (nnics)
        printf("\nNIC Legend:\n\n");
    for (int i = 0; i < nnics; i++)
        printf("  NIC%d: %s\n", i, topo_nic_name(t, i));
    if (topo_nnodes(t) > 1)
        printf("\n%d nodes like this one, joined by their NICs: node n has "
               "GPUs %dn to %dn+%d.\n",
               topo_nnodes(t), ngpus, ngpus, ngpus - 1);
}

int cmd_topo(int argc, char **argv)
{
    char err[600], list[400];
    topo_list(list, sizeof list);
    if (argc != 2 || argv[1][0] == '-')
        return command_usage("name a machine: one of %s, or a file", list);
    struct topo *const t = topo_load(argv[1], err, sizeof err);
    if (!t)
        return command_failed("%s", err);
    print_machine(t);
    topo_warnings(t, command_remark, NULL);
    topo_free(t);
    return 0;
}
