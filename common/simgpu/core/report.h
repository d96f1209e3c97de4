/*
 * report.h: faults, which end the run, and warnings, which do not
 *
 * A fault is reported once per job, in a form that a student can act on; then
 * the process exits with status 70, and with it the job.
 */
#ifndef SIMGPU_CORE_REPORT_H
#define SIMGPU_CORE_REPORT_H

#include <stdint.h>

enum {
    REPORT_GRACE_US = 500000
}; /* other ranks leave the reporter this long */

/*
 * Report a fault and end the job. The text says what, where, which values and
 * what to try; lines are prefixed with "simgpu: rank N:". When several ranks
 * report the same `key` within one job, the first prints; key NULL always
 * prints.
 */
_Noreturn void simgpu_report_fault(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* p, or a fault if it is NULL: that host memory has run out for the object that
 * the format describes. */
void *simgpu_need(void *p, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* What a fault does last before it ends the process, with the status: tell the
 * launcher. There is one f, or none. */
void simgpu_report_last(void (*f)(int status));

/* A warning about the call at site; printed once per site and text. */
void simgpu_report_warning(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
