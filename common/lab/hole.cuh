// hole.cuh: LAB_DEVICE_HOLE("what") marks device code that is not written yet
//
// On simgpu it ends the kernel, and the case is NOT IMPLEMENTED, as with
// LAB_HOLE of lab/try.h. On a GPU it prints a line and makes the kernel fail.
// The include path selects the implementation, as for sync.cuh.
#ifndef COMMLAB_LAB_HOLE_CUH
#define COMMLAB_LAB_HOLE_CUH

#include <hole_words.cuh>

#define LAB_DEVICE_HOLE(what) hole_words_reached(what)

#endif
