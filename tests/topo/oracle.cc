/*
 * oracle.cc: NCCL's own topology search and tuner, compared with topo_nccl()
 *
 *   oracle FILES [DRAWS [MACHINE]]
 *
 * oracle.sh compiles NCCL's src/graph unmodified, and two functions of its
 * enqueue.cc. This file supplies what they need of the rest of NCCL: peers, a
 * communicator, and transports that connect whatever NCCL's rules allow. It
 * follows initTransportsRank() up to the tuner for all ranks of one node; the
 * nodes of a machine are alike. FILES holds the machines' files without
 * <calibration>, which NCCL's reader can't parse.
 *
 * Each draw is a machine, a communicator, an operation and a size. Differences
 * are counted by class: operation, NCCL's choice and ours. The program fails if
 * less than LEAST of a machine's draws agree.
 */
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <map>
#include <string>
#include <vector>

#include "channel.h"
#include "comm.h"
#include "core.h"
#include "topo.h"
#include "transport.h"

extern "C" {
#include "topo/machine.h"
}

/* ---- what NCCL's graph code needs of the rest of NCCL ---------------------- */

int ncclDebugLevel = 0;
uint64_t ncclDebugMask = 0;
const char *ncclFuncStr[NCCL_NUM_FUNCTIONS] = {
    "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce"};
const char *ncclAlgoStr[NCCL_NUM_ALGORITHMS] = {
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
const char *ncclProtoStr[NCCL_NUM_PROTOCOLS] = {"LL", "LL128", "Simple"};
ncclNvmlDevicePairInfo ncclNvmlDevicePairs[ncclNvmlMaxDevices]
                                          [ncclNvmlMaxDevices];
thread_local int ncclDebugNoWarn = 0;

void ncclDebugLog(ncclDebugLogLevel level, unsigned long, const char *, int,
                  const char *format, ...)
{
    va_list args;
    if (level != NCCL_LOG_WARN || ncclDebugNoWarn)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
}

void ncclLoadParam(char const *env, int64_t unset, int64_t, int64_t *cache)
{
    const char *const text = getenv(env);
    *cache = text ? strtoll(text, NULL, 0) : unset;
}

const char *ncclGetEnv(const char *name)
{
    return getenv(name);
}

int64_t ncclParamWorkArgsBytes()
{
    return INT64_MAX;
}

ncclResult_t ncclNvmlEnsureInitialized()
{
    return ncclSuccess;
}

const char *ncclFuncToString(ncclFunc_t)
{
    return "?";
}

const char *ncclDatatypeToString(ncclDataType_t)
{
    return "?";
}

ncclResult_t initChannel(struct ncclComm *, int)
{
    return ncclSuccess;
}

/* p2pCanConnect() and shmCanConnect(), of GPUs that CUDA lets map each other. */
static ncclResult_t by_network(struct ncclComm *comm, struct ncclPeerInfo *a,
                               struct ncclPeerInfo *b, int *ret)
{
    int use_net = 0;
    NCCLCHECK(ncclTopoCheckNet(comm->topo, a->rank, b->rank, &use_net));
    if (use_net)
        *ret = 0;
    return ncclSuccess;
}

static ncclResult_t by_p2p(int *ret, struct ncclComm *comm, ncclTopoGraph *,
                           struct ncclPeerInfo *a, struct ncclPeerInfo *b)
{
    int via;
    NCCLCHECK(ncclTopoCheckP2p(comm, comm->topo, a->rank, b->rank, ret, NULL,
                               &via, NULL));
    return *ret == 0 || via != -1 ? ncclSuccess : by_network(comm, a, b, ret);
}

static ncclResult_t by_host(int *ret, struct ncclComm *comm, ncclTopoGraph *,
                            struct ncclPeerInfo *a, struct ncclPeerInfo *b)
{
    *ret = a->hostHash == b->hostHash;
    return *ret ? by_network(comm, a, b, ret) : ncclSuccess;
}

static struct ncclTransport p2p = {"P2P", by_p2p, {}, {}};
static struct ncclTransport host = {"SHM", by_host, {}, {}};
struct ncclTransport *ncclTransports[NTRANSPORTS] = {&p2p, &host};

/* ---- a communicator -------------------------------------------------------- */

struct ranks { /* the same GPUs of each of `nodes` nodes */
    int nodes;
    std::vector<int> gpu;
    bool operator<(const ranks &b) const
    {
        return nodes != b.nodes ? nodes < b.nodes : gpu < b.gpu;
    }
};

static const int NNVLS[] = {NVLS_NCHANNELS_SM90, NVLS_NCHANNELS_SM100,
                            NVLS_NCHANNELS_SM100_NVL};

static void must(ncclResult_t result, const char *what)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "oracle: %s: error %d\n", what, (int)result);
    exit(1);
}
#define MUST(call) must(call, #call)

static std::string files; // the folder of the machines' files

/* The host_hash of a GPU's or a NIC's CPU; 0 if all are of one host. */
static uint64_t host_of(struct ncclXmlNode *node)
{
    const char *hash = NULL;
    while (strcmp(node->name, "cpu") != 0)
        node = node->parent;
    MUST(xmlGetAttr(node, "host_hash", &hash));
    return hash ? strtoull(hash, NULL, 0) : 0;
}

/* Give the file's GPUs the ranks of a communicator. They are numbered host by
 * host, and on each in the order of dev. */
static void place_ranks(const struct topo *t, struct ncclXml *xml,
                        const ranks &r)
{
    std::vector<uint64_t> hosts;
    struct ncclXmlNode *node;
    MUST(xmlFindTag(xml, "gpu", &node));
    std::map<std::pair<size_t, int>, ncclXmlNode *> gpus;
    for (; node; MUST(xmlFindNextTag(xml, "gpu", node, &node))) {
        int dev;
        const uint64_t host = host_of(node);
        if (hosts.empty() || hosts.back() != host)
            hosts.push_back(host);
        MUST(xmlGetAttrInt(node, "dev", &dev));
        MUST(xmlUnsetAttr(node, "rank"));
        gpus[{hosts.size(), dev}] = node;
    }
    int number = 0;
    for (const auto &gpu : gpus) {
        const auto at =
            std::find(r.gpu.begin(), r.gpu.end(), t->number[number++]);
        if (at == r.gpu.end())
            continue;
        MUST(xmlSetAttrInt(gpu.second, "keep", 1));
        MUST(xmlSetAttrInt(gpu.second, "rank", (int)(at - r.gpu.begin())));
    }
}

/* The nets of a <nic>: one for each port, as the machine's name asks for. */
static void keep_ports(const struct topo *t, struct ncclXml *xml,
                       struct ncclXmlNode *nic)
{
    const int ports = (int)t->cal.choice.nic_ports, nnets = nic->nSubs;
    for (int k = 0; k < nnets; k++) {
        struct ncclXmlNode *net = nic->subs[k];
        const char *name;
        MUST(xmlGetAttrStr(net, "name", &name));
        int i = 0;
        while (i < t->nnics && strcmp(t->nic[i].name, name) != 0)
            i++;
        for (int port = 0; port < ports && i < t->nnics; port++) {
            if (port > 0) {
                MUST(xmlAddNode(xml, nic, "net", &net));
                MUST(xmlSetAttr(net, "name", name));
                MUST(xmlSetAttrInt(net, "port", port + 1));
                MUST(xmlSetAttrInt(net, "maxconn", 131072));
                MUST(xmlSetAttrInt(net, "gdr", 1));
                MUST(xmlSetAttr(
                    net, "guid",
                    ("0x" + std::to_string(100000 + ports * i + port))
                        .c_str()));
            }
            MUST(xmlSetAttrInt(net, "dev", ports * i + port));
            MUST(xmlSetAttrInt(net, "speed", (int)(t->nic[i].mbps / ports)));
            MUST(xmlSetAttrFloat(net, "latency",
                                 (float)t->cal.choice.plugin_us));
            MUST(xmlSetAttrInt(net, "keep", 1));
        }
    }
}

/* The node's file as NCCL reads it, with the ranks, and the NICs that the
 * machine's name asks for. */
static struct ncclXml *read_node(const struct topo *t, const ranks &r)
{
    struct ncclXml *xml;
    struct ncclXmlNode *node;
    const std::string file = t->file;
    const std::string copy = files + file.substr(file.rfind('/'));
    MUST(xmlAlloc(&xml, 4096));
    MUST(ncclTopoGetXmlFromFile(copy.c_str(), xml, 1));
    place_ranks(t, xml, r);
    MUST(xmlFindTag(xml, "nic", &node));
    for (; node; MUST(xmlFindNextTag(xml, "nic", node, &node)))
        keep_ports(t, xml, node);
    MUST(ncclTopoTrimXml(xml));
    return xml;
}

static uint64_t host_of(struct ncclXml *xml, int rank)
{
    char text[16];
    struct ncclXmlNode *node;
    snprintf(text, sizeof text, "%d", rank);
    MUST(xmlFindTagKv(xml, "gpu", &node, "rank", text));
    return host_of(node);
}

static void fill_peers(struct ncclComm *c, const struct topo *t,
                       struct ncclXml *xml, const ranks &r)
{
    const int each = (int)r.gpu.size();
    c->peerInfo = new ncclPeerInfo[(size_t)c->nRanks + 1]();
    c->rankToNode = new int[(size_t)c->nRanks];
    c->rankToLocalRank = new int[(size_t)c->nRanks];
    c->nodeRanks = new ncclNodeRanks[(size_t)r.nodes]();
    for (int i = 0; i < c->nRanks; i++) {
        struct ncclPeerInfo *const p = &c->peerInfo[i];
        p->rank = i;
        p->nvmlDev = r.gpu[(size_t)(i % each)];
        p->hostHash = host_of(xml, i % each) + (uint64_t)(i / each) * 7919;
        p->cudaCompCap = t->gpu[0].sm;
        p->gdrSupport = 1;
        p->fabricInfo.clusterUuid[0] = (unsigned char)(1 + i / each % 255);
        p->fabricInfo.cliqueId = (unsigned)(i / each);
        if (p->hostHash != c->peerInfo[0].hostHash && i < each)
            c->MNNVL = 1;
        c->rankToNode[i] = i / each;
        c->rankToLocalRank[i] = i % each;
    }
    for (int k = 0; k < r.nodes; k++) {
        c->nodeRanks[k].localRanks = each;
        c->nodeRanks[k].localRankToRank = new int[(size_t)each];
        for (int i = 0; i < each; i++)
            c->nodeRanks[k].localRankToRank[i] = k * each + i;
    }
}

static void search(struct ncclComm *c, struct ncclTopoGraph *g, int id,
                   int pattern, int least, int most)
{
    memset(g, 0, sizeof *g);
    g->id = id;
    g->pattern = pattern;
    g->minChannels = least;
    g->maxChannels = most;
    MUST(ncclTopoCompute(c->topo, g));
}

/* ncclNvlsInit(), where the driver offers multicast. */
static void init_nvls(struct ncclComm *c, const struct topo *t)
{
    c->nvlsSupport =
        c->topo->nodes[GPU].count > 1 && t->switched && c->minCompCap >= 90;
    c->nvlsChannels = !c->nvlsSupport       ? 0
                      : c->minCompCap < 100 ? NNVLS[0]
                      : c->nNodes > 1       ? NNVLS[1]
                                            : NNVLS[2];
}

/* The ranks' own views of their channels. Those of a node differ from those of
 * the first by the number of its first rank. */
static struct ncclTopoRanks *preset(struct ncclComm *c, int each,
                                    struct ncclTopoGraph **graphs)
{
    struct ncclTopoRanks *const all = new ncclTopoRanks[(size_t)c->nRanks]();
    for (int i = each - 1; i >= 0; i--) {
        c->rank = i;
        MUST(ncclTopoPreset(c, graphs, &all[i]));
    }
    for (int i = each; i < c->nRanks; i++) {
        all[i] = all[i % each];
        int *const lists[] = {all[i].ringRecv,     all[i].ringSend,
                              all[i].ringPrev,     all[i].ringNext,
                              all[i].treeToParent, all[i].treeToChild0,
                              all[i].treeToChild1, all[i].nvlsHeads};
        for (int *list : lists)
            for (int k = 0; k < MAXCHANNELS; k++)
                if (list[k] >= 0)
                    list[k] += i / each * each;
    }
    return all;
}

static void list_graphs(struct ncclComm *c, struct ncclTopoGraph **graphs)
{
    static const int of[NCCL_NUM_ALGORITHMS] = {
        NCCL_ALGO_TREE,          NCCL_ALGO_RING, NCCL_ALGO_COLLNET_DIRECT,
        NCCL_ALGO_COLLNET_CHAIN, NCCL_ALGO_NVLS, NCCL_ALGO_NVLS,
        NCCL_ALGO_TREE};
    for (int a = 0; a < NCCL_NUM_ALGORITHMS; a++)
        graphs[a] = &c->graphs[of[a]];
}

/* Find the graphs, and join the nodes' channels. */
static void join(struct ncclComm *c, int each)
{
    struct ncclTopoGraph *graphs[NCCL_NUM_ALGORITHMS];
    struct ncclTopoGraph *const ring = &c->graphs[NCCL_ALGO_RING];
    struct ncclTopoGraph *const tree = &c->graphs[NCCL_ALGO_TREE];
    struct ncclTopoGraph *const nvls = &c->graphs[NCCL_ALGO_NVLS];
    list_graphs(c, graphs);
    search(c, ring, 0, NCCL_TOPO_PATTERN_RING, 1, MAXCHANNELS / 2);
    search(c, tree, 1, NCCL_TOPO_PATTERN_BALANCED_TREE, ring->nChannels,
           ring->nChannels);
    if (c->nvlsSupport)
        search(c, nvls, 3, NCCL_TOPO_PATTERN_NVLS, 1, MAXCHANNELS);
    if (nvls->nChannels == 0)
        c->nvlsSupport = c->nvlsChannels = 0;
    c->nChannels = std::min(tree->nChannels, ring->nChannels);
    struct ncclTopoRanks *const all = preset(c, each, graphs);
    tree->nChannels = ring->nChannels = c->nChannels;
    c->maxTreePattern = tree->pattern;
    MUST(ncclTopoPathAllNVLink(c->topo, &c->isAllNvlink));
    std::vector<ncclTopoRanks *> views;
    std::vector<int> first, patterns((size_t)c->nNodes, tree->pattern);
    std::vector<int> rings((size_t)c->nRanks * MAXCHANNELS);
    for (int i = 0; i < c->nRanks; i++)
        views.push_back(&all[i]);
    for (int k = 0; k < c->nNodes; k++)
        first.push_back(k * each);
    MUST(ncclTopoPostset(c, first.data(), patterns.data(), views.data(),
                         rings.data(), graphs, NULL));
    delete[] all;
    MUST(ncclTopoComputeP2pChannels(c));
}

/* initTransportsRank(), to where the tuner is ready. */
static struct ncclComm *communicator(const struct topo *t, const ranks &r)
{
    struct ncclComm *const c = (struct ncclComm *)calloc(1, sizeof *c);
    const int each = (int)r.gpu.size();
    c->sharedRes =
        (struct ncclSharedResources *)calloc(1, sizeof *c->sharedRes);
    c->sharedRes->owner = c;
    c->nRanks = each * r.nodes;
    c->nNodes = r.nodes;
    c->localRanks = c->maxLocalRanks = c->minLocalRanks = each;
    c->minCompCap = c->maxCompCap = c->compCap = t->gpu[0].sm;
    c->config.minCTAs = 1;
    c->config.maxCTAs = MAXCHANNELS;
    c->config.nChannelsPerNetPeer = NCCL_CONFIG_UNDEF_INT;
    struct ncclXml *const xml = read_node(t, r);
    fill_peers(c, t, xml, r);
    c->localRankToRank = c->nodeRanks[0].localRankToRank;
    MUST(ncclTopoGetSystemFromXml(xml, &c->topo, host_of(xml, 0)));
    free(xml);
    MUST(ncclTopoComputePaths(c->topo, c));
    MUST(ncclTopoTrimSystem(c->topo, c));
    if (c->topo->nodes[GPU].count < each)
        return c; // NCCL joins some of these GPUs by their NICs
    MUST(ncclTopoComputePaths(c->topo, c));
    MUST(ncclTopoSearchInit(c->topo));
    MUST(ncclTopoComputeCommCPU(c));
    init_nvls(c, t);
    join(c, each);
    MUST(ncclTopoInitTunerConstants(c));
    struct ncclTopoGraph *graphs[NCCL_NUM_ALGORITHMS];
    list_graphs(c, graphs);
    MUST(ncclTopoTuneModel(c, c->minCompCap, c->maxCompCap, graphs));
    return c;
}

static void release(struct ncclComm *c)
{
    for (int k = 0; k < c->nNodes; k++)
        delete[] c->nodeRanks[k].localRankToRank;
    delete[] c->nodeRanks;
    delete[] c->rankToLocalRank;
    delete[] c->rankToNode;
    delete[] c->peerInfo;
    ncclTopoFree(c->topo);
    free(c->sharedRes);
    free(c);
}

/* ---- NCCL's choice, and ours ----------------------------------------------- */

/* updateCollCostTable() and topoGetAlgoInfo(), which oracle.sh takes from the
 * checkout's enqueue.cc. */
#include "choice.inc"

struct answer {
    int algo, proto, channels;
};

static const struct {
    enum topo_op op;
    ncclFunc_t func;
    const char *name;
} ops[] = {{TOPO_OP_ALLREDUCE, ncclFuncAllReduce, "all_reduce"},
           {TOPO_OP_ALLGATHER, ncclFuncAllGather, "all_gather"},
           {TOPO_OP_REDUCESCATTER, ncclFuncReduceScatter, "reduce_scatter"},
           {TOPO_OP_BROADCAST, ncclFuncBroadcast, "broadcast"},
           {TOPO_OP_REDUCE, ncclFuncReduce, "reduce"}};
enum { NOPS = sizeof ops / sizeof *ops };

static answer nccls(struct ncclComm *c, int op, uint64_t nbytes)
{
    static const int algo[] = {TOPO_TREE,    TOPO_RING, TOPO_COLLNET,
                               TOPO_COLLNET, TOPO_NVLS, TOPO_NVLSTREE,
                               TOPO_PAT};
    struct ncclTaskColl task = {};
    float table[NCCL_NUM_ALGORITHMS][NCCL_NUM_PROTOCOLS];
    task.func = ops[op].func;
    task.datatype = ncclFloat32;
    initCollCostTable((float **)table);
    MUST(updateCollCostTable(c, &task, nbytes, 0, c->nvlsSupport, 1,
                             (float **)table));
    MUST(topoGetAlgoInfo(c, &task, nbytes, (float **)table, NULL));
    return {algo[task.algorithm], task.protocol, c->nChannels};
}

static std::vector<int32_t> places(const struct topo *t, const ranks &r)
{
    std::vector<int32_t> place;
    for (int k = 0; k < r.nodes; k++)
        for (int g : r.gpu)
            place.push_back(k * t->ngpus + g);
    return place;
}

static answer ours(const struct topo *t, const std::vector<int32_t> &place,
                   int op, uint64_t nbytes)
{
    struct topo_nccl out;
    char err[600];
    if (topo_nccl(t, ops[op].op, place.data(), (int)place.size(), nbytes,
                  TOPO_ANY, TOPO_ANY, &out, err, sizeof err) != 0) {
        fprintf(stderr, "oracle: %s\n", err);
        exit(1);
    }
    return {out.algo, out.proto, out.channels};
}

/* ---- draws ----------------------------------------------------------------- */

/* Machines, and the share of a machine's draws in % that must agree: on
 * algorithm and protocol, and on channels. */
static const double LEAST = 99;
static const char *const machines[] = {
    "dgx-1v",
    "dgx-a100",
    "dgx-h100",
    "dgx-h200",
    "dgx-b200",
    "hgx-b300",
    "gh200",
    "a100-cubemesh",
    "pcie-4090",
    "gb200-nvl72",
    "gb300-nvl72",
    "2x-dgx-h100",
    "2x:dgx-a100",
    "2x:dgx-a100@no-nic:3",
    "4x:dgx-a100@roce",
    "16x:dgx-a100@roce,fat-tree:2",
    "2x:dgx-h100@ndr",
    "2x:dgx-h100@ndr,slow-nic:1",
    "16x:dgx-h100@ndr",
    "4x:dgx-h200@efa",
    "2x:dgx-b200@ndr",
    "8x:hgx-b300",
    "4x:gh200@slingshot",
    "128x:gh200@slingshot",
    "2x:gb200-nvl72@ndr",
    "shuffled:a:dgx-1v",
    "sick:a:dgx-a100",
};

static uint64_t draw(uint64_t n)
{
    static uint64_t state = 43;
    state += 0x9e3779b97f4a7c15;
    uint64_t x = state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return (x ^ x >> 31) % n;
}

/* Two or more ranks: the first GPUs of each node or, a third of the time, any.
 * NCCL searches for a minute over racks of 72. */
static ranks draw_ranks(const struct topo *t)
{
    static const int sizes[] = {1, 2, 3, 4, 8, 8, 8, 16, 36, 72};
    const int limit = std::min(t->ngpus, t->nnodes > 1 ? 16 : 72);
    ranks r = {1, {}};
    if (t->nnodes > 1)
        r.nodes = draw(2) ? t->nnodes : 2 + (int)draw((uint64_t)t->nnodes - 1);
    int each = std::min(sizes[draw(10)], limit);
    if (r.nodes == 1 && each < 2)
        each = 2;
    std::vector<int> all;
    for (int i = 0; i < t->ngpus; i++)
        all.push_back(i);
    if (draw(3) == 0)
        for (int i = 0; i < each; i++)
            std::swap(all[(size_t)i],
                      all[(size_t)i + draw((uint64_t)(t->ngpus - i))]);
    r.gpu.assign(all.begin(), all.begin() + each);
    std::sort(r.gpu.begin(), r.gpu.end());
    return r;
}

/* ---- the comparison -------------------------------------------------------- */

struct tally {
    int n, choice, channels, by_nics;
};

static std::map<std::string, std::map<std::string, int>> classes;

static std::string words(const answer &a)
{
    return std::string(topo_algo_name((enum topo_algo)a.algo)) + "/" +
           topo_proto_name((enum topo_proto)a.proto);
}

static void compare(const struct topo *t, struct ncclComm *c, const ranks &r,
                    const std::vector<int32_t> &place, tally *sum)
{
    const int op = (int)draw(NOPS);
    // 8 bytes to 8 GiB, evenly on a logarithmic scale
    const uint64_t nbytes =
        (uint64_t)exp2(3 + (double)draw(30001) / 1000) / 4 * 4;
    const answer a = nccls(c, op, nbytes), b = ours(t, place, op, nbytes);
    const int same = a.algo == b.algo && a.proto == b.proto;
    sum->n++;
    sum->choice += same;
    sum->channels += a.channels == b.channels;
    if (!same)
        classes[std::string(ops[op].name) + (r.nodes > 1 ? ", nodes" : "") +
                ": " + words(a) + ", ours " + words(b)][t->name]++;
    if (getenv("ORACLE_VERBOSE"))
        printf("%s, %d x %zu, %s, %llu bytes: %s on %d, ours %s on %d\n",
               t->name, r.nodes, r.gpu.size(), ops[op].name,
               (unsigned long long)nbytes, words(a).c_str(), a.channels,
               words(b).c_str(), b.channels);
}

/* What NCCL's tuner takes from its search, and the GPUs of each node. */
static void show_graphs(const struct ncclComm *c, const ranks &r)
{
    printf("%d x %zu, GPUs", r.nodes, r.gpu.size());
    for (int gpu : r.gpu)
        printf(" %d", gpu);
    printf("\n");
    for (int a : {NCCL_ALGO_RING, NCCL_ALGO_TREE, NCCL_ALGO_NVLS}) {
        const struct ncclTopoGraph *const g = &c->graphs[a];
        printf("    %-4s %2d x %g/%g GB/s, types %d/%d, pattern %d%s\n",
               ncclAlgoStr[a], g->nChannels, g->bwIntra, g->bwInter,
               g->typeIntra, g->typeInter, g->pattern,
               g->sameChannels ? ", the same" : "");
    }
    printf("    channels %d, of a peer %d of %d\n", c->nChannels,
           c->p2pnChannelsPerPeer, c->p2pnChannels);
}

static tally judge(const char *name, int draws)
{
    char err[600];
    tally sum = {};
    struct topo *const t = topo_load(name, err, sizeof err);
    if (!t) {
        fprintf(stderr, "oracle: %s\n", err);
        exit(1);
    }
    while (sum.n + sum.by_nics < draws) {
        const ranks r = draw_ranks(t);
        struct ncclComm *const c = communicator(t, r);
        const std::vector<int32_t> place = places(t, r);
        const int most = std::min(20, draws - sum.n - sum.by_nics);
        const int searched = c->topo->nodes[GPU].count == (int)r.gpu.size();
        if (searched && getenv("ORACLE_VERBOSE"))
            show_graphs(c, r);
        for (int i = 0; searched && i < most; i++)
            compare(t, c, r, place, &sum);
        if (!searched)
            sum.by_nics += most;
        release(c);
    }
    topo_free(t);
    return sum;
}

static double percent(int part, int n)
{
    return n > 0 ? 100. * part / n : 100;
}

static void show(const char *name, const tally &one)
{
    printf("%-30s %6d %14.2f %% %8.2f %% %8d\n", name, one.n,
           percent(one.choice, one.n), percent(one.channels, one.n),
           one.by_nics);
}

static void show_classes(void)
{
    printf(
        "\nchoices that differ (operation: NCCL's, ours), and the machines\n");
    for (const auto &c : classes) {
        int n = 0;
        std::string where;
        for (const auto &m : c.second) {
            n += m.second;
            where += " " + m.first;
        }
        if (c.second.size() > 3)
            where = " " + std::to_string(c.second.size()) + " machines";
        printf("%5d  %-56s%s\n", n, c.first.c_str(), where.c_str());
    }
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    files = argv[1];
    const int draws = argc > 2 ? atoi(argv[2]) : 10000;
    const int n = (int)(sizeof machines / sizeof *machines);
    tally all = {};
    int failed = 0;
    setenv("NCCL_IGNORE_DISABLED_P2P", "2", 1); // no NVML to ask
    printf("%-30s %6s %16s %10s %8s\n", "machine", "draws", "algorithm/proto",
           "channels", "by NICs");
    for (int i = 0; i < n; i++) {
        const char *const name = machines[i];
        if (argc > 3 && strcmp(argv[3], name) != 0)
            continue;
        const int part = argc > 3 ? draws : draws * (i + 1) / n - draws * i / n;
        const tally one = judge(name, part);
        show(name, one);
        if (argc == 2 && (percent(one.choice, one.n) < LEAST ||
                          percent(one.channels, one.n) < LEAST)) {
            printf("FAILED %s: less than %.0f %%\n", name, LEAST);
            failed = 1;
        }
        all.n += one.n;
        all.choice += one.choice;
        all.channels += one.channels;
        all.by_nics += one.by_nics;
    }
    show("all", all);
    show_classes();
    return failed;
}
