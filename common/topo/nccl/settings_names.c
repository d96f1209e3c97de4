/*
 * settings_names.c: the variables that NCCL reads, up to 2.28
 *
 * The names come from its documentation and from NCCL_PARAM in its sources. A
 * name that is missing here is probably misspelt.
 */
#include "topo/nccl/settings_names.h"

#include <string.h> /* strlen */

// clang-format off
const char *const settings_names[] = {
    "ALGO", "ALLOC_P2P_NET_LL_BUFFERS", "BUFFSIZE", "BUILD",
    "CGA_CLUSTER_SIZE", "CHECKS_DISABLE", "CHECK_POINTERS", "CHUNK_SIZE",
    "CLIQUE_ID", "COLLNET_ENABLE", "COLLNET_NODE_THRESHOLD", "COMM_BLOCKING",
    "COMM_ID", "COMM_SHRINK_SHARE_RESOURCES", "COMM_SPLIT_SHARE_RESOURCES",
    "CONF_FILE", "CONNECT_ROUND_MAX_PEERS", "CREATE_THREAD_CONTEXT",
    "CROSS_NIC", "CTA_POLICY", "CUMEM_ENABLE", "CUMEM_HOST_ENABLE", "DEBUG",
    "DEBUG_FILE", "DEBUG_SUBSYS", "DEBUG_TIMESTAMP_FORMAT",
    "DEBUG_TIMESTAMP_LEVELS", "DMABUF_ENABLE", "DUMP_PROXY",
    "DUMP_TOPO_FILE_RANK", "ENV_PLUGIN", "GDRCOPY_ENABLE",
    "GDRCOPY_FIFO_ENABLE", "GDRCOPY_FLUSH_ENABLE", "GDRCOPY_SYNC_ENABLE",
    "GDR_FLUSH_DISABLE", "GIN_ENABLE", "GIN_TYPE", "GRAPH_DUMP_FILE",
    "GRAPH_DUMP_FILE_RANK", "GRAPH_FILE", "GRAPH_HELPER_DISABLE",
    "GRAPH_MIXING_SUPPORT", "GRAPH_REGISTER", "GRAPH_STREAM_ORDERING",
    "GROUP_CUDA_STREAM", "HOSTID", "HOSTS", "IB_ADAPTIVE_ROUTING",
    "IB_ADDR_FAMILY", "IB_ADDR_RANGE", "IB_AR_THRESHOLD", "IB_CUDA_SUPPORT",
    "IB_DATA_DIRECT", "IB_DISABLE", "IB_ECE_ENABLE", "IB_FIFO_TC",
    "IB_GDR_LEVEL", "IB_GID_INDEX", "IB_HCA", "IB_IS_GLOBAL", "IB_MERGE_NICS",
    "IB_MERGE_VFS", "IB_MQP_RETRY_ALL", "IB_MQP_RETRY_CNT",
    "IB_MQP_RETRY_SLEEP_MSEC", "IB_OOO_RQ", "IB_PCI_RELAXED_ORDERING",
    "IB_PKEY", "IB_PREPOST_RECEIVE_WORK_REQUESTS", "IB_QPS_PER_CONNECTION",
    "IB_RECEIVER_SIDE_MATCHING_SCHEME", "IB_RETRY_CNT",
    "IB_RETURN_ASYNC_EVENTS", "IB_ROCE_VERSION_NUM", "IB_SL",
    "IB_SPLIT_DATA_ON_QPS", "IB_TC", "IB_TIMEOUT", "IB_USE_INLINE",
    "IB_WARN_RAIL_LOCAL", "IGNORE_CPU_AFFINITY", "IGNORE_DISABLED_P2P",
    "KERNEL_ARGS", "L1_SHARED_MEMORY_CARVEOUT", "LAUNCH_MODE",
    "LAUNCH_ORDER_IMPLICIT", "LAUNCH_RACE_FATAL", "LL128_BUFFSIZE",
    "LL128_C2C", "LL128_NTHREADS", "LL_BUFFSIZE", "LL_THRESHOLD",
    "LOCAL_REGISTER", "MAX_CTAS", "MAX_NCHANNELS", "MAX_NRINGS",
    "MAX_P2P_NCHANNELS", "MAX_P2P_PEERS", "MEM_MANAGER", "MEM_SYNC_DOMAIN",
    "MIN_CTAS", "MIN_NCHANNELS", "MIN_NRINGS", "MIN_P2P_NCHANNELS",
    "MLOPART_ENABLE", "MNNVL_CLIQUE_ID", "MNNVL_CLIQUE_SIZE", "MNNVL_ENABLE",
    "MNNVL_RAIL_PER_HOST", "MNNVL_SCATTER_NETS_ENABLE", "MNNVL_UUID",
    "MULTI_SEGMENT_REGISTER", "NCHANNELS_PER_NET_PEER", "NET",
    "NETDEVS_POLICY", "NET_DISABLE_INTRA", "NET_FORCE_FLUSH",
    "NET_FORCE_MERGE", "NET_GDR_C2C", "NET_GDR_LEVEL", "NET_GDR_READ",
    "NET_MERGE_LEVEL", "NET_OPTIONAL_RECV_COMPLETION", "NET_OVERHEAD",
    "NET_PLUGIN", "NET_PLUGIN_REF_COUNT", "NET_SHARED_BUFFERS",
    "NET_SHARED_COMMS", "NO_CACHE", "NSOCKS_PERTHREAD", "NTHREADS",
    "NVB_DISABLE", "NVB_PRECONNECT", "NVLINK_UTIL_CENTRIC_SCHED_ENABLE",
    "NVLSTREE_MAX_CHUNKSIZE", "NVLS_CHUNKSIZE", "NVLS_ENABLE",
    "NVLS_NCHANNELS", "NVTX_DISABLE", "OOB_NET_ENABLE", "OOB_NET_IFNAME",
    "P2P_CUDA_MEMCPY", "P2P_DIRECT_DISABLE", "P2P_DISABLE", "P2P_EPOCH_ENABLE",
    "P2P_LEVEL", "P2P_LL_THRESHOLD", "P2P_NET_CHUNKSIZE", "P2P_NVL_CHUNKSIZE",
    "P2P_PCI_CHUNKSIZE", "P2P_PER_CHANNEL_THRESHOLD", "P2P_PXN_LEVEL",
    "P2P_READ_ENABLE", "P2P_SCHEDULE_GROUP_SIZE", "P2P_SHM_CHUNKSIZE",
    "P2P_USE_CUDA_MEMCPY", "PARAM_DUMP_ALL", "PAT_ENABLE", "PCI_ORDER",
    "PROFILER_DUMP_FILE", "PROFILER_PLUGIN", "PROFILE_EVENT_MASK",
    "PROGRESS_APPENDOP_FREQ", "PROTO", "PROXY_APPEND_BATCH_SIZE",
    "PROXY_CPUSET", "PROXY_DUMP_SIGNAL", "PXN_C2C", "PXN_DISABLE", "RAS_ADDR",
    "RAS_ENABLE", "RAS_TIMEOUT_FACTOR", "REPORT_CONNECT_PROGRESS", "RINGS",
    "RUNTIME_CONNECT", "SET_CPU_STACK_SIZE", "SET_STACK_SIZE",
    "SET_THREAD_NAME", "SHM_DISABLE", "SHM_LOCALITY", "SHM_MEMCPY_MODE",
    "SHM_USE_CUDA_MEMCPY", "SINGLE_PROC_MEM_REG_ENABLE",
    "SINGLE_RING_THRESHOLD", "SOCKET_FAMILY", "SOCKET_IFNAME", "SOCKET_INLINE",
    "SOCKET_MIN_TASKSIZE", "SOCKET_NTHREADS", "SOCKET_POLL_TIMEOUT_MSEC",
    "SOCKET_RCVBUF", "SOCKET_RETRY_CNT", "SOCKET_RETRY_SLEEP_MSEC",
    "SOCKET_SNDBUF", "SPARSE_RINGS", "STORE_IFNAME", "SYM_CTAS", "SYM_KERNEL",
    "SYM_NO_WIN_ENABLE", "THREAD_THRESHOLDS", "TOPO_DUMP_FILE",
    "TOPO_DUMP_FILE_RANK", "TOPO_FILE", "TREE_THRESHOLD", "TUNER_CONFIG_FILE",
    "TUNER_PLUGIN", "UID_STAGGER_RATE", "UID_STAGGER_THRESHOLD",
    "UNPACK_ENABLE", "WARN_ENABLE_DEBUG_INFO", "WIN_ENABLE", "WIN_STRIDE",
    "WORK_ARGS_BYTES", "WORK_FIFO_BYTES", "WORK_FIFO_DEPTH",
};
// clang-format on
const int settings_nnames = sizeof settings_names / sizeof *settings_names;

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The number of letters to insert, remove or replace (Levenshtein). */
static int distance(const char *a, const char *b)
{
    int row[64];
    const int n = (int)strlen(b);
    if (n > 63)
        return n;
    for (int k = 0; k <= n; k++)
        row[k] = k;
    for (int i = 1; *a; a++, i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int k = 1; k <= n; k++) {
            const int above = row[k];
            row[k] = least(least(row[k - 1], above) + 1,
                           diagonal + (*a != b[k - 1]));
            diagonal = above;
        }
    }
    return row[n];
}

const char *settings_like(const char *name)
{
    const char *found = NULL;
    int best = strlen(name) < 5 ? 2 : 4; // allow 1 or 3 letters at most
    for (int i = 0; i < settings_nnames; i++) {
        const int d = distance(name, settings_names[i]);
        if (d < best) {
            best = d;
            found = settings_names[i];
        }
    }
    return found;
}
