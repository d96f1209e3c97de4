/*
 * recorder_take.h: takes what a rank has sent on one of its connections
 *
 * What came on one can need what is under way on another: an operation begins
 * whose record has not been taken yet.
 */
#ifndef GRADER_RECORDER_TAKE_H
#define GRADER_RECORDER_TAKE_H

#include "recorder_rank.h"

/* A rank has sent something, or nothing more. */
void recorder_take_some(struct recorder *r, struct rank *k,
                        enum recorder_role role);

/* True if something has come on a connection that was not taken. */
int recorder_take_is_due(int connection);

/* Take what a rank has sent so far. It waits for nothing here: what it sent
 * before another rank could know of it is under way. */
void recorder_take_all(struct recorder *r, struct rank *k,
                       enum recorder_role role);

#endif
