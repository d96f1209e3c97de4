/* cub/iterator/discard_output_iterator.cuh: see cub/iterator/iterators.cuh */
#include "cub/iterator/iterators.cuh"
