/* cub/thread/thread_load.cuh: see cub/iterator/iterators.cuh */
#include "cub/iterator/iterators.cuh"
