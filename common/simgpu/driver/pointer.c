/*
 * pointer.c: attributes of pointers
 */
#include "core/device.h"
#include "core/heap.h"
#include "driver/context.h"

/* An attribute of memory in a heap. */
static CUresult describe_block(void *data, CUpointer_attribute attribute,
                               CUdeviceptr ptr, const struct heap_block *b)
{
    const int host = b->device == HEAP_PINNED;
    const int device = host ? simgpu_device_current() : b->device;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *(CUcontext *)data = context_of(device);
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(CUmemorytype *)data =
            host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)data = ptr; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (!host && !b->managed)
            return CUDA_ERROR_INVALID_VALUE;
        *(CUdeviceptr *)data = ptr;
        break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        *(unsigned long long *)data = b->id;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)data = b->managed != 0;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = device; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *(unsigned *)data = !host && !b->managed && !b->imported;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)data = (uintptr_t)b->base;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)data = b->nbytes; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)data = 1; break;
    default: return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr ptr)
{
    struct heap_block b;
    void *const p = (void *)ptr;
    const CUresult err = context_current();
    if (err)
        return err;
    if (!data || attribute < CU_POINTER_ATTRIBUTE_CONTEXT ||
        attribute > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE)
        return CUDA_ERROR_INVALID_VALUE;
    if (simgpu_heap_find(p, &b) == 0)
        return describe_block(data, attribute, ptr, &b);
    if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) {
        *(unsigned *)data = 0;
        return CUDA_SUCCESS;
    }
    if (!simgpu_heap_registered(p)) // the driver doesn't know ordinary memory
        return CUDA_ERROR_INVALID_VALUE;
    b = (struct heap_block){.base = p, .device = HEAP_PINNED};
    return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                   attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE
               ? CUDA_ERROR_NOT_SUPPORTED
               : describe_block(data, attribute, ptr, &b);
}
