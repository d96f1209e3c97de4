/*
 * report.h: faults, which end the run, and warnings, which do not
 *
 * A fault is reported once per job, in a form that a student can act on. Then
 * the process exits with status 70, which ends the job.
 */
#ifndef SIMGPU_CORE_REPORT_H
#define SIMGPU_CORE_REPORT_H

#include <stdint.h>

enum {
    REPORT_GRACE_US = 500000
}; /* time that other ranks leave the reporter */

/*
 * Report a fault and end the job. The text says what happened, where, with
 * which values, and what to try; each line is prefixed with "simgpu: rank N:".
 * If several ranks of a job report the same `key`, only the first prints. With
 * key NULL every rank prints. What the program printed so far is written first.
 */
_Noreturn void simgpu_report_fault(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Print what the job should know, if no rank has printed a text with this key.
 * The run continues. */
void simgpu_report_once(const char *key, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Have a fault print an earlier mistake, too, which may be its cause. The first
 * call counts. */
void simgpu_report_earlier(const char *text);

/* An address as messages show it: "0x7f...", or "NULL". */
struct pointer_text {
    char text[24];
};
struct pointer_text simgpu_pointer_text(const void *p);

/* Print what a call of the program will return an error for. */
void simgpu_report_error(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Returns p. If it is NULL, reports that host memory has run out for the object
 * that the format describes. */
void *simgpu_need(void *p, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Set what a fault does last before it ends the process with the status: tell
 * the launcher. There is at most one such function. */
void simgpu_report_last(void (*f)(int status));

/* Print a warning about the call at site, once per site and text. */
void simgpu_report_warning(uint32_t site, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
