# find_package(simgpu): the targets simgpu::cudart, simgpu::nccl,
# simgpu::cublas, simgpu::cublasLt, simgpu::curand, simgpu::cufft, simgpu::cuda,
# simgpu::nvshmem_host, simgpu::nvidia-ml, and simgpu_HOME, which has bin/nvcc,
# include and lib as CUDA's folder has.
#
# A project with CUDA sources takes its compiler from there:
#     cmake -DCMAKE_CUDA_COMPILER=@PREFIX@/lib/simgpu/bin/nvcc ...
set(simgpu_VERSION @VERSION@)
set(simgpu_HOME "@PREFIX@/lib/simgpu")
foreach(library cudart nccl cublas cublasLt curand cufft cuda nvshmem_host
        nvidia-ml)
  if(NOT TARGET simgpu::${library})
    add_library(simgpu::${library} SHARED IMPORTED)
    file(GLOB simgpu_location "${simgpu_HOME}/lib/lib${library}.so.*")
    set_target_properties(simgpu::${library} PROPERTIES
      IMPORTED_LOCATION "${simgpu_location}"
      INTERFACE_INCLUDE_DIRECTORIES "${simgpu_HOME}/include")
    if(NOT library STREQUAL cudart)
      set_target_properties(simgpu::${library} PROPERTIES
        INTERFACE_LINK_LIBRARIES simgpu::cudart)
    endif()
  endif()
endforeach()
unset(simgpu_location)
