/*
 * recorder_device.h: what a rank says of its devices' memory (base/recorder.h)
 *
 * Which file it is, once; and that an operation is about to run, which spoils
 * what it overwrites (graph/overwrite.h).
 */
#ifndef GRADER_RECORDER_DEVICE_H
#define GRADER_RECORDER_DEVICE_H

#include "recorder_rank.h"

/* Take a note, or a part of one, that has come. */
void recorder_device_take(struct recorder *r, struct rank *k);

#endif
