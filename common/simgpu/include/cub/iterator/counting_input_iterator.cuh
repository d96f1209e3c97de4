/* cub/iterator/counting_input_iterator.cuh: see cub/iterator/iterators.cuh */
#include "cub/iterator/iterators.cuh"
