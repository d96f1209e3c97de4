// hole.cuh: LAB_DEVICE_HOLE("what") stands where device code has to be written
//
// On simgpu the kernel ends there, and the case is NOT IMPLEMENTED, as with
// LAB_HOLE of lab/lab.h. A GPU can't tell the host so: there a line is printed and
// the kernel fails. Which of them, the include path chooses, as for sync.cuh.
#ifndef COMMLAB_LAB_HOLE_CUH
#define COMMLAB_LAB_HOLE_CUH

#include <hole_words.cuh>

#define LAB_DEVICE_HOLE(what) hole_words_reached(what)

#endif
