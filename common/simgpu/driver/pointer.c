/*
 * pointer.c: attributes of pointers
 */
#include <string.h> /* memset */

#include "core/device.h"
#include "core/heap/heap.h"
#include "driver/context.h"

/* Get an attribute of memory in a heap. */
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
    if (!simgpu_heap_registered(p)) // ordinary memory
        return CUDA_ERROR_INVALID_VALUE;
    b = (struct heap_block){.base = p, .device = HEAP_PINNED};
    return attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                   attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE
               ? CUDA_ERROR_NOT_SUPPORTED
               : describe_block(data, attribute, ptr, &b);
}

/* The number of bytes that an attribute's value takes; 0 if it isn't
 * supported. */
static size_t value_nbytes(CUpointer_attribute attribute)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return sizeof(CUcontext);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return sizeof(CUmemorytype);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return sizeof(CUdeviceptr);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return sizeof(unsigned long long);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return sizeof(int);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED: return sizeof(unsigned);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return sizeof(size_t);
    default: return 0;
    }
}

/* Get an attribute of memory that the driver does not manage. */
static void describe_unknown(void *data, CUpointer_attribute attribute,
                             CUdeviceptr ptr)
{
    if (attribute == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
        attribute == CU_POINTER_ATTRIBUTE_RANGE_SIZE)
        return; // CUDA doesn't change the value
    memset(data, 0, value_nbytes(attribute));
    if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER)
        *(CUdeviceptr *)data = ptr;
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        *(int *)data = CU_DEVICE_INVALID;
}

/* Libraries use this function to find out about any pointer, so
 * unlike with cuPointerGetAttribute(), memory that the driver
 * doesn't manage is not an error. */
CUresult cuPointerGetAttributes(unsigned int numAttributes,
                                CUpointer_attribute *attributes, void **data,
                                CUdeviceptr ptr)
{
    struct heap_block b;
    const CUresult current = context_current();
    if (current)
        return current;
    if (numAttributes == 0 || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    const int known = simgpu_heap_find((void *)ptr, &b) == 0 ||
                      simgpu_heap_registered((void *)ptr);
    for (unsigned i = 0; i < numAttributes; i++) {
        const size_t nbytes = value_nbytes(attributes[i]);
        if (nbytes == 0)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (!data[i])
            return CUDA_ERROR_INVALID_VALUE;
        if (!known)
            describe_unknown(data[i], attributes[i], ptr);
        else if (cuPointerGetAttribute(data[i], attributes[i], ptr) !=
                 CUDA_SUCCESS)
            memset(data[i], 0, nbytes);
    }
    return CUDA_SUCCESS;
}
