/*
 * nvToolsExt.h: the part of NVTX that simgpu implements
 *
 * A range names what the calling thread enqueues until it is popped, or ended:
 * the operations in the execution graph, and so on its timeline. Names and
 * layouts are those of NVTX 3. A program built with NVTX's own header, where
 * everything is inline, runs as well, without names.
 */
#ifndef SIMGPU_NVTX3_NVTOOLSEXT_H
#define SIMGPU_NVTX3_NVTOOLSEXT_H

#include <stdint.h> /* uint64_t */

#ifdef __cplusplus
extern "C" {
#endif

#define NVTX_VERSION                  3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;

enum { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 };
enum { NVTX_MESSAGE_UNKNOWN = 0, NVTX_MESSAGE_TYPE_ASCII = 1 };
enum { NVTX_PAYLOAD_UNKNOWN = 0 };

typedef union nvtxMessageValue_t {
    const char *ascii;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

/* Each returns the depth of the range, from 0; pop -1 if there is none. */
int nvtxRangePushA(const char *message);
int nvtxRangePushEx(const nvtxEventAttributes_t *eventAttrib);
int nvtxRangePop(void);

/* A range that need not nest: it names what its thread enqueues while it is the
 * innermost of that thread's open ranges. */
nvtxRangeId_t nvtxRangeStartA(const char *message);
nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *eventAttrib);
void nvtxRangeEnd(nvtxRangeId_t id);

/* A moment; not recorded. */
void nvtxMarkA(const char *message);
void nvtxMarkEx(const nvtxEventAttributes_t *eventAttrib);

#ifdef __cplusplus
}
#endif
#endif
