/*
 * profiler_abi.h: the interface between NCCL and its profiler plugins
 *
 * A plugin exports some of ncclProfiler_v1 to ncclProfiler_v6, each a table of
 * functions for one version of the interface. An event starts with a descriptor
 * whose layout depends on the version; 5 and 6 have the same beginning. Names
 * and members are NCCL's. The types leave out events that simgpu never raises:
 * those of proxy threads, network plugins and copy engines.
 */
#ifndef SIMGPU_NCCL_PROFILER_ABI_H
#define SIMGPU_NCCL_PROFILER_ABI_H

#include <nccl.h>
#include <stdbool.h>
#include <stdint.h>

enum { /* types of events: bits of the activation mask */
       PROFILE_GROUP = 1 << 0,
       PROFILE_COLL = 1 << 1,
       PROFILE_P2P = 1 << 2,
       PROFILE_PROXY_OP = 1 << 3,
       PROFILE_PROXY_STEP = 1 << 4,
       PROFILE_KERNEL_CH = 1 << 6,
       PROFILE_NET_PLUGIN = 1 << 7,
       PROFILE_GROUP_API = 1 << 8,
       PROFILE_COLL_API = 1 << 9,
       PROFILE_P2P_API = 1 << 10,
       PROFILE_KERNEL_LAUNCH = 1 << 11,
       PROFILE_CE = 7 << 12,
};

enum { /* states that are recorded for events */
       PROFILE_KERNEL_CH_STOP = 22,
       PROFILE_GROUP_START_STOP = 23, /* ncclGroupStart has returned */
       PROFILE_GROUP_END_START = 24,  /* ncclGroupEnd begins */
};

typedef void profiler_logger(int level, unsigned long flags, const char *file,
                             int line, const char *format, ...);

/* ---- descriptors --------------------------------------------------------- */

struct profiler_event_v5 { /* version 6 uses it, too */
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            bool graphCaptured;
            int groupDepth;
        } groupApi;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            int root;
            void *stream;
            bool graphCaptured;
        } collApi;
        struct {
            const char *func;
            size_t count;
            const char *datatype;
            void *stream;
            bool graphCaptured;
        } p2pApi;
        struct {
            void *stream;
        } kernelLaunch;
        struct {
            uint64_t seqNumber;
            const char *func;
            const void *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
            void *parentGroup;
        } coll;
        struct {
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
            uint8_t nChannels;
            void *parentGroup;
        } p2p;
        struct {
            uint8_t channelId;
            uint64_t pTimer; /* ns, when the kernel began on the device */
        } kernelCh;
        char v6[96]; /* version 6's longest member has 88 bytes */
    };
};

struct profiler_event_v4 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            uint64_t seqNumber;
            const char *func;
            const void *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
        } coll;
        struct {
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
            uint8_t nChannels;
        } p2p;
        struct {
            uint8_t channelId;
            uint64_t pTimer;
        } kernelCh;
    };
};

struct profiler_event_v3 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            const char *name;
            uint64_t commHash;
            uint64_t seqNumber;
            const char *func;
            const void *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nMaxChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
        } coll;
        struct {
            const char *name;
            uint64_t commHash;
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
        } p2p;
        struct {
            uint8_t channelId;
        } kernelCh;
    };
};

struct profiler_event_v2 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            const char *name;
            uint64_t commHash;
            uint64_t seqNumber;
            const char *func;
            const void *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            size_t trafficBytes;
            uint8_t nMaxChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
        } coll;
        struct {
            const char *name;
            uint64_t commHash;
            const char *func;
            void *buff;
            const char *datatype;
            size_t count;
            int peer;
        } p2p;
    };
};

struct profiler_event_v1 {
    uint8_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            const char *name;
            uint64_t commHash;
            uint64_t seqNumber;
            uint8_t func;
            const void *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            uint8_t datatype;
            uint32_t op;
            size_t trafficBytes;
            uint8_t nMaxChannels;
            uint8_t nWarps;
            uint8_t algo;
            uint8_t proto;
            int isCollnet;
            int isNvls;
        } coll;
        struct {
            const char *name;
            uint64_t commHash;
            uint8_t func;
            void *buff;
            uint8_t datatype;
            size_t count;
            int peer;
        } p2p;
    };
};

union profiler_args { /* by state */
    struct {
        uint64_t pTimer;
    } kernelCh;
    char all[16];
};

/* ---- functions ----------------------------------------------------------- */

/* The struct of every version; init(), which differs, is any function here. */
struct profiler_table {
    const char *name;
    void (*init)(void);
    ncclResult_t (*start)(void *context, void **handle, void *event);
    ncclResult_t (*stop)(void *handle);
    ncclResult_t (*record)(void *handle, int state, union profiler_args *args);
    ncclResult_t (*finalize)(void *context);
};

typedef ncclResult_t profiler_init_v1(void **context, int *mask); /* up to 3 */
typedef ncclResult_t profiler_init_v4(void **context, int *mask,
                                      const char *commName, uint64_t commHash,
                                      int nNodes, int nranks, int rank,
                                      profiler_logger *log);
typedef ncclResult_t profiler_init_v5(void **context, uint64_t commId,
                                      int *mask, const char *commName,
                                      int nNodes, int nranks, int rank,
                                      profiler_logger *log); /* and version 6 */

#endif
