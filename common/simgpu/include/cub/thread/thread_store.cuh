/* cub/thread/thread_store.cuh: see cub/iterator/iterators.cuh */
#include "cub/iterator/iterators.cuh"
