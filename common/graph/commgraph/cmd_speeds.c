/*
 * commgraph speeds: the rate of a single copy over each kind of link
 *
 * The copies are from host memory to a GPU, between two GPUs of a node, and
 * between the first GPUs of two nodes. Each has the machine to itself, and
 * moves at the rate of the slowest part of its path.
 */
#include "command.h"
#include "topo/copies.h"

static int print_row(const struct topo *t, const char *what, int32_t from,
                     int32_t to, int way)
{
    struct topo_path path;
    double rate;
    if (topo_path(t, from, to, way, &path) != 0)
        return 0;
    if (copies_share(t, &path, 1, &rate) != 0)
        return command_failed("no memory");
    printf("%-26s %-22s %8.1f %8.1f\n", topo_name(t), what, rate / 1e9,
           (double)path.latency_ps / 1e6);
    return 0;
}

static int print_rows(const struct topo *t)
{
    const int ngpus = topo_ngpus(t) / topo_nnodes(t);
    char link[8], peers[32];
    int status = 0;
    snprintf(peers, sizeof peers, "GPU to GPU, %s", topo_link(t, 0, 1, link));
    status |= print_row(t, "host to GPU", TOPO_HOST_PLACE(0), 0, TOPO_DIRECT);
    if (ngpus > 1 && topo_p2p(t, 0, 1))
        status |= print_row(t, peers, 0, 1, TOPO_DIRECT);
    if (ngpus > 1)
        status |= print_row(t, "GPU to GPU by the host", 0, 1, TOPO_STAGED);
    if (topo_nnodes(t) > 1)
        status |= print_row(t, "node to node", 0, ngpus, TOPO_DIRECT);
    return status;
}

int cmd_speeds(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return command_usage("name machines");
    int status = 0;
    for (int i = 1; i < argc && status == 0; i++) {
        struct topo *const t = command_topo(argv[i]);
        if (!t)
            return COMMAND_FAILED;
        if (i == 1)
            printf("%-26s %-22s %8s %8s\n", "machine", "path", "GB/s", "us");
        status = print_rows(t);
        topo_free(t);
    }
    return status;
}
