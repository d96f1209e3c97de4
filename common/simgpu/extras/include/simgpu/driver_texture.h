/*
 * driver_texture.h: the driver's texture and surface objects
 */
#ifndef SIMGPU_DRIVER_TEXTURE_H
#define SIMGPU_DRIVER_TEXTURE_H

#include "simgpu/driver_array.h"

/* An 8-bit or 16-bit integer is read as a float in [0, 1] or [-1, 1], unless
 * the texture has CU_TRSF_READ_AS_INTEGER. */
CUresult cuTexObjectCreate(CUtexObject *pTexObject,
                           const CUDA_RESOURCE_DESC *pResDesc,
                           const CUDA_TEXTURE_DESC *pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC *pResViewDesc);
CUresult cuTexObjectDestroy(CUtexObject texObject);
CUresult cuSurfObjectCreate(CUsurfObject *pSurfObject,
                            const CUDA_RESOURCE_DESC *pResDesc);
CUresult cuSurfObjectDestroy(CUsurfObject surfObject);

#endif
