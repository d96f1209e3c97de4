/*
 * stopped.h: whether a grading was asked to end
 *
 * A scheduler whose time limit has passed sends a signal some time before it
 * kills. A grading that ended at once would leave no verdict behind; it ends
 * its run instead, and reports that this machine ended it.
 */
#ifndef GRADER_STOPPED_H
#define GRADER_STOPPED_H

/* From now on, note the first signal that asks this process to end. A second
 * one ends it at once. */
void stopped_listen(void);

/* That signal; 0 if there was none. */
int stopped_by(void);

#endif
