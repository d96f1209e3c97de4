/*
 * ignored.h: failures that the program ignored
 *
 * A failure counts as ignored if the call has no result, or if the caller's
 * code discards it (discard.h), and no later call asks for the library's last
 * error, which only CUDA and NCCL have. Failures are counted only with
 * SIMGPU_CHECK=1; the report names each library's first.
 */
#ifndef SIMGPU_CORE_WATCH_IGNORED_H
#define SIMGPU_CORE_WATCH_IGNORED_H

#include <stdint.h>

enum ignored_library {
    IGNORED_CUDA,
    IGNORED_NCCL,
    IGNORED_CUBLAS,
    IGNORED_CUFFT,
    IGNORED_CURAND,
    IGNORED_LIBRARIES
};

/* Start counting. */
void ignored_start(void);

/* Note that a call that returns to return_address has failed. */
void simgpu_ignored_note(enum ignored_library library, const char *call,
                         const char *error, const void *return_address);

/* The same for a library that works on the current device. If the device has
 * failed, that is a CUDA call's failure, and not the library's. */
void simgpu_ignored_note_library(enum ignored_library library, const char *call,
                                 const char *error, const void *return_address);

/* Note that a launch by <<<>>>, which returns nothing, has failed. */
void ignored_note_launch(const char *call, const char *error, uint32_t site);

/* True if failures are counted, and the caller at this return address discards
 * the result. */
int simgpu_ignored_is_certain(const void *return_address);

/* Note that the program has asked for the last error. */
void simgpu_ignored_forget(enum ignored_library library);

/* At the end of the run: record the ignored failures as a fault. */
void ignored_report(void);

#endif
