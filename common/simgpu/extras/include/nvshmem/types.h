/*
 * types.h: constants, structures, and the lists of types for which functions
 * have variants, as in NVSHMEM 3.8
 */
#ifndef SIMGPU_NVSHMEM_TYPES_H
#define SIMGPU_NVSHMEM_TYPES_H

#include <cuda_runtime.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
typedef struct {
    unsigned short x;
} half, __nv_bfloat16;
#endif

/* The version of OpenSHMEM that NVSHMEM follows, and NVSHMEM's own version. */
#define NVSHMEM_MAJOR_VERSION        1
#define NVSHMEM_MINOR_VERSION        3
#define NVSHMEM_VENDOR_MAJOR_VERSION 3
#define NVSHMEM_VENDOR_MINOR_VERSION 8
#define NVSHMEM_VENDOR_PATCH_VERSION 0
#define NVSHMEM_VENDOR_VERSION       30800
#define NVSHMEM_VENDOR_STRING        "NVSHMEM v3.8.0"
#define NVSHMEM_MAX_NAME_LEN         256

typedef int32_t nvshmem_team_t;
typedef nvshmem_team_t nvshmemx_team_t;
typedef uint64_t nvshmemx_team_uniqueid_t;
typedef int nvshmemx_qp_handle_t;

typedef enum {
    NVSHMEM_TEAM_INVALID = -1,
    NVSHMEM_TEAM_WORLD = 0,
    NVSHMEM_TEAM_WORLD_INDEX = 0,
    NVSHMEM_TEAM_SHARED = 1,
    NVSHMEM_TEAM_SHARED_INDEX = 1,
    NVSHMEMX_TEAM_NODE = 2,
    NVSHMEM_TEAM_NODE_INDEX = 2,
    NVSHMEMX_TEAM_SAME_MYPE_NODE = 3,
    NVSHMEM_TEAM_SAME_MYPE_NODE_INDEX = 3,
    NVSHMEM_TEAM_SAME_GPU_INDEX = 4,
    NVSHMEM_TEAM_GPU_LEADERS_INDEX = 5,
    NVSHMEM_TEAM_MC_SHARED = 6,
    NVSHMEM_TEAM_MC_SHARED_INDEX = 6,
    NVSHMEM_TEAMS_MIN = 7,
    NVSHMEM_TEAM_INDEX_MAX = INT_MAX
} nvshmem_team_id_t;

typedef enum nvshmemi_cmp_type {
    NVSHMEM_CMP_EQ = 0,
    NVSHMEM_CMP_NE,
    NVSHMEM_CMP_GT,
    NVSHMEM_CMP_LE,
    NVSHMEM_CMP_LT,
    NVSHMEM_CMP_GE,
    NVSHMEM_CMP_SENTINEL = INT_MAX
} nvshmemx_cmp_type_t;

typedef enum {
    NVSHMEM_SIGNAL_SET = 9,
    NVSHMEM_SIGNAL_ADD = 10
} nvshmemx_signal_op_t;

typedef enum nvshmemi_thread_support {
    NVSHMEM_THREAD_SINGLE = 0,
    NVSHMEM_THREAD_FUNNELED,
    NVSHMEM_THREAD_SERIALIZED,
    NVSHMEM_THREAD_MULTIPLE,
    NVSHMEM_THREAD_TYPE_SENTINEL = INT_MAX
} nvshmemx_thread_support_t;

typedef enum {
    NVSHMEM_STATUS_NOT_INITIALIZED = 0,
    NVSHMEM_STATUS_IS_BOOTSTRAPPED,
    NVSHMEM_STATUS_IS_INITIALIZED,
    NVSHMEM_STATUS_LIMITED_MPG,
    NVSHMEM_STATUS_FULL_MPG,
    NVSHMEM_STATUS_INVALID = INT_MAX
} nvshmemx_init_status_t;

typedef enum {
    NVSHMEM_PE_INVALID = -1,
    NVSHMEMX_PE_ANY = 1 << 15,
    NVSHMEMX_PE_ALL = 1 << 15
} nvshmem_pe_index_t;

/* ---- initialisation ------------------------------------------------------ */

enum flags {
    NVSHMEMX_INIT_THREAD_PES = 1,
    NVSHMEMX_INIT_WITH_MPI_COMM = 1 << 1,
    NVSHMEMX_INIT_WITH_SHMEM = 1 << 2,
    NVSHMEMX_INIT_WITH_UNIQUEID = 1 << 3,
    NVSHMEMX_INIT_MAX = INT_MIN
};

typedef struct {
    int version;
    char internal[124];
} nvshmemx_uniqueid_v1;
typedef nvshmemx_uniqueid_v1 nvshmemx_uniqueid_t;
#define NVSHMEMX_UNIQUEID_INITIALIZER                                          \
    {                                                                          \
        (1 << 16) + sizeof(nvshmemx_uniqueid_t),                               \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }

typedef struct {
    int version;
    nvshmemx_uniqueid_v1 *id;
    int myrank, nranks;
} nvshmemx_uniqueid_args_v1;
typedef nvshmemx_uniqueid_args_v1 nvshmemx_uniqueid_args_t;
#define NVSHMEMX_UNIQUEID_ARGS_INITIALIZER                                     \
    {                                                                          \
        (1 << 16) + sizeof(nvshmemx_uniqueid_args_t), NULL, -1, -1             \
    }

typedef struct {
    int version;
    nvshmemx_uniqueid_args_t uid_args;
    int cuda_device_id;
    char content[92];
} nvshmemx_init_args_v2;
typedef nvshmemx_init_args_v2 nvshmemx_init_args_t;

typedef struct {
    int version;
    void *mpi_comm;
    nvshmemx_init_args_t args;
} nvshmemx_init_attr_v2;
typedef nvshmemx_init_attr_v2 nvshmemx_init_attr_t;
#define NVSHMEMX_INIT_ATTR_INITIALIZER                                         \
    {                                                                          \
        (2 << 16) + sizeof(nvshmemx_init_attr_t), NULL,                        \
        {                                                                      \
            (2 << 16) + sizeof(nvshmemx_init_args_t),                          \
                NVSHMEMX_UNIQUEID_ARGS_INITIALIZER, -1,                        \
            {                                                                  \
                0                                                              \
            }                                                                  \
        }                                                                      \
    }

typedef struct {
    int version;
    int num_contexts;
    nvshmemx_team_uniqueid_t uniqueid;
    char padding[48];
} nvshmem_team_config_v2;
typedef nvshmem_team_config_v2 nvshmem_team_config_t;
#define NVSHMEM_TEAM_CONFIG_INITIALIZER                                        \
    {                                                                          \
        (2 << 16) + sizeof(nvshmem_team_config_t), -1, UINT64_MAX,             \
        {                                                                      \
            0                                                                  \
        }                                                                      \
    }
#define NVSHMEM_TEAM_UNIQUID_INITIALIZER      UINT64_MAX
#define NVSHMEM_TEAM_CONFIG_MASK_NUM_CONTEXTS 1
#define NVSHMEM_TEAM_CONFIG_MASK_UNIQUEID     2

/* ---- types, X(name in a function, C type) -------------------------------- */

#define SIMGPU_SHMEM_FLOATS(X)                                                 \
    X(half, half)                                                              \
    X(bfloat16, __nv_bfloat16)                                                 \
    X(float, float)                                                            \
    X(double, double)
/* The types of wait_until. */
#define SIMGPU_SHMEM_WORDS(X)                                                  \
    X(short, short)                                                            \
    X(int, int)                                                                \
    X(long, long)                                                              \
    X(longlong, long long)                                                     \
    X(ushort, unsigned short)                                                  \
    X(uint, unsigned int)                                                      \
    X(ulong, unsigned long)                                                    \
    X(ulonglong, unsigned long long)                                           \
    X(int32, int32_t)                                                          \
    X(int64, int64_t)                                                          \
    X(uint32, uint32_t)                                                        \
    X(uint64, uint64_t)                                                        \
    X(size, size_t)                                                            \
    X(ptrdiff, ptrdiff_t)
#define SIMGPU_SHMEM_SMALL(X)                                                  \
    X(char, char)                                                              \
    X(schar, signed char)                                                      \
    X(uchar, unsigned char)                                                    \
    X(int8, int8_t)                                                            \
    X(uint8, uint8_t)                                                          \
    X(int16, int16_t)                                                          \
    X(uint16, uint16_t)
#define SIMGPU_SHMEM_TYPES(X)                                                  \
    SIMGPU_SHMEM_FLOATS(X) SIMGPU_SHMEM_WORDS(X) SIMGPU_SHMEM_SMALL(X)

/* X(bits) */
#define SIMGPU_SHMEM_SIZES(X) X(8) X(16) X(32) X(64) X(128)

/* A function for a thread, and its variants for a warp,
 * a block and a stream. */
#define SIMGPU_SHMEM_DECLARE(R, NAME, ...)                                     \
    R nvshmem_##NAME(__VA_ARGS__);                                             \
    SIMGPU_SHMEM_EXTENDED(R, NAME, __VA_ARGS__)
#define SIMGPU_SHMEM_EXTENDED(R, NAME, ...)                                    \
    R nvshmemx_##NAME##_warp(__VA_ARGS__);                                     \
    R nvshmemx_##NAME##_block(__VA_ARGS__);                                    \
    R nvshmemx_##NAME##_on_stream(__VA_ARGS__, cudaStream_t cstrm);

#endif
