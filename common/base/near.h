/*
 * near.h: how far a misspelt name is from a known one
 */
#ifndef COMMLAB_BASE_NEAR_H
#define COMMLAB_BASE_NEAR_H

/* The number of letters to insert, remove or replace to turn a into b. Only the
 * first 64 letters of each count. */
int near_distance(const char *a, const char *b);

#endif
