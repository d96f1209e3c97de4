/*
 * record.h: the layout of evidence, shared by its writer and its reader
 */
#ifndef COMMLAB_JUDGE_RECORD_H
#define COMMLAB_JUDGE_RECORD_H

#include "judge/evidence.h"

enum { RECORD_MAGIC = 0x45764c31 }; /* "EvL1" */

struct record { /* its payload follows */
    uint32_t magic, kind, case_no, iteration;
    uint64_t nbytes;
    char name[EVIDENCE_NAME];
};

static inline size_t record_padding(uint64_t nbytes)
{
    return (size_t)(-nbytes & 7);
}

#endif
