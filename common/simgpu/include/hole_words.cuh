// hole_words.cuh: what lab/hole.cuh consists of on simgpu
#ifndef COMMLAB_HOLE_WORDS_CUH
#define COMMLAB_HOLE_WORDS_CUH

extern "C" void lab_device_hole(const char *what); // the runner: lab/run.h

[[noreturn]] static __forceinline__ void hole_words_reached(const char *what)
{
    lab_device_hole(what);
    simgpu_leave();
}

#endif
