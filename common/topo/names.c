#include <string.h>  /* strcspn */
#include <strings.h> /* strncasecmp */

#include "topo/topo.h"

/* Names as NCCL prints them. COLLNET stands for two of NCCL's. */
static const char *const algos[TOPO_ALGOS] = {
    "TREE", "RING", "COLLNET", "NVLS", "NVLSTREE", "PAT", "P2P"};
static const char *const protos[TOPO_PROTOS] = {"LL", "LL128", "SIMPLE"};

static int set_of(const char *words, const char *const *names, int n)
{
    int set = 0;
    if (!words || !*words)
        return TOPO_ANY;
    const int all_but = *words == '^';
    for (const char *w = words + all_but;; w++) {
        const size_t length = strcspn(w, ",");
        int i = 0;
        while (i < n && (strlen(names[i]) != length ||
                         strncasecmp(names[i], w, length) != 0))
            i++;
        if (i == n)
            return 0;
        set |= 1 << i;
        w += length;
        if (!*w)
            return all_but ? ((1 << n) - 1) & ~set : set;
    }
}

int topo_algo_set(const char *words)
{
    return set_of(words, algos, TOPO_P2P); // P2P can't be chosen
}

int topo_proto_set(const char *words)
{
    return set_of(words, protos, TOPO_PROTOS);
}

const char *topo_algo_name(enum topo_algo a)
{
    return a < TOPO_ALGOS ? algos[a] : "?";
}

const char *topo_proto_name(enum topo_proto p)
{
    return p < TOPO_PROTOS ? protos[p] : "?";
}
