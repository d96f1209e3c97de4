/*
 * ranks.h: how many ranks a lab's program runs with, at most
 *
 * An array with an element for each rank has LAB_MAX_RANKS elements, both in
 * students' code (which gets the name from lab/try.h) and in the judges.
 */
#ifndef COMMLAB_BASE_RANKS_H
#define COMMLAB_BASE_RANKS_H

enum { LAB_MAX_RANKS = 1024 };

#endif
