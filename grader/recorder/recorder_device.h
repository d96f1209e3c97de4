/*
 * recorder_device.h: a rank's notes about its devices' memory (base/recorder.h)
 *
 * A rank says once which file the memory is. Later it says when an operation is
 * about to run, and the recorder then spoils what that overwrites
 * (graph/hazard/overwrite.h).
 */
#ifndef GRADER_RECORDER_DEVICE_H
#define GRADER_RECORDER_DEVICE_H

#include "grader/recorder/recorder_rank.h"

/* Take a note, or a part of one, that has arrived. */
void recorder_device_take(struct recorder *r, struct rank *k);

#endif
