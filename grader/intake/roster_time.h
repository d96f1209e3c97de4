/*
 * roster_time.h: times in a roster, and days between them
 *
 * Times are in seconds since 1970, UTC.
 */
#ifndef GRADER_ROSTER_TIME_H
#define GRADER_ROSTER_TIME_H

#include <stdint.h>

#define ROSTER_NEVER INT64_MIN /* no deadline, or time of submission unknown */

enum { ROSTER_LATE_DAYS = 1000 }; /* the most days that are counted */

/*
 * From now on, times without a zone are in this one: "Europe/Berlin", or NULL
 * or "" for UTC. It is kept in this process's TZ. Returns -1 if there is no
 * such zone.
 */
int roster_timezone(const char *name);

/*
 * Convert "2026-03-01T23:59:00+01:00"; a date without a time is the last second
 * of that day, and a deadline without seconds the last of its minute. Returns
 * -1 if it isn't a time. When daylight saving time ends, an hour occurs twice:
 * the student gets the benefit, so a time means the first of the two, and a
 * deadline the second.
 */
int roster_time(const char *text, int64_t *t);
int roster_deadline(const char *text, int64_t *t);

/*
 * The number of days between a deadline and t, rounded up, less the days that
 * cost nothing; 0 if either time is unknown. A day ends at the deadline's time
 * of day in the course's zone, so it has 23 or 25 hours where the clocks
 * change.
 */
int roster_days_between(int64_t deadline, int64_t t, int late_days);

/* A time of submission less the minutes that a plan grants after a deadline. */
int64_t roster_forgive(int64_t t, int minutes);

#endif
