#define _GNU_SOURCE
#include "grader/intake/roster_time.h"

#include <stdio.h>  /* sscanf */
#include <stdlib.h> /* setenv */
#include <string.h> /* strcmp */
#include <time.h>   /* strptime */
#include <unistd.h> /* access */

enum { MINUTE = 60 };

/* Parse a zone: "Z" is UTC; "+01:00" and "-0530" are seconds to subtract. */
static int zone(const char *text, int *seconds)
{
    int h, m, used = 0;
    *seconds = 0;
    if (strcmp(text, "Z") == 0)
        return 0;
    if ((sscanf(text + 1, "%2d:%2d%n", &h, &m, &used) < 2 &&
         sscanf(text + 1, "%2d%2d%n", &h, &m, &used) < 2) ||
        text[1 + used] || h < 0 || h > 14 || m < 0 || m > 59 ||
        (*text != '+' && *text != '-'))
        return -1;
    *seconds = (h * 60 + m) * 60 * (*text == '+' ? 1 : -1);
    return 0;
}

int roster_timezone(const char *name)
{
    char path[256];
    if (!name || !*name)
        name = "UTC";
    const int n = snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    if (strstr(name, "..") || n >= (int)sizeof path ||
        (strcmp(name, "UTC") != 0 && access(path, R_OK) != 0))
        return -1;
    setenv("TZ", name, 1);
    tzset();
    return 0;
}

/* True for an existing day: strptime() accepts 30 February. */
static int is_day(const struct tm *tm)
{
    struct tm copy = *tm;
    timegm(&copy);
    return copy.tm_mday == tm->tm_mday && copy.tm_mon == tm->tm_mon;
}

/* Convert a time of the course. If daylight saving repeats the hour, `pass`
 * says which of the two it is (-1: the first, 1: the second). */
static int64_t local_time(const struct tm *tm, int pass)
{
    enum { HOUR = 3600 };
    struct tm copy = *tm, other;
    const time_t t = mktime(&copy), twin = t + pass * HOUR;
    localtime_r(&twin, &other);
    return (int64_t)(other.tm_hour == copy.tm_hour &&
                             other.tm_min == copy.tm_min
                         ? twin
                         : t);
}

static int read_time(const char *text, int pass, int64_t *t)
{
    struct tm tm = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    int offset = 0;
    const char *rest = strptime(text, "%Y-%m-%d", &tm);
    if (!rest || !is_day(&tm))
        return -1;
    if (*rest == 'T' || *rest == ' ') {
        tm.tm_sec = 0;
        const char *const minutes = strptime(rest + 1, "%H:%M", &tm);
        if (!minutes)
            return -1;
        rest = *minutes == ':' ? strptime(minutes, ":%S", &tm) : minutes;
    }
    if (!rest || (*rest && zone(rest, &offset) != 0))
        return -1;
    *t = *rest ? (int64_t)timegm(&tm) - offset : local_time(&tm, pass);
    return 0;
}

int roster_time(const char *text, int64_t *t)
{
    return read_time(text, -1, t);
}

/* Spreadsheets add ":00" when they save a time, so a deadline whose seconds are
 * 0 lasts to the end of its minute, too. */
int roster_deadline(const char *text, int64_t *t)
{
    if (read_time(text, 1, t) != 0)
        return -1;
    *t += *t % MINUTE == 0 ? MINUTE - 1 : 0;
    return 0;
}

/* The same time of day, n days later. The day after a change of the clocks has
 * 23 or 25 hours; a time that the change skips is an hour later. */
static int64_t days_after(int64_t t, int64_t n)
{
    struct tm tm;
    const time_t when = (time_t)t;
    if (!localtime_r(&when, &tm))
        abort();
    const int hour = tm.tm_hour;
    tm.tm_mday += (int)n;
    tm.tm_isdst = -1;
    struct tm copy = tm;
    mktime(&copy);
    if (copy.tm_hour != hour) // skipped
        tm.tm_isdst = 0;
    return local_time(&tm, 1);
}

int roster_days_between(int64_t deadline, int64_t t, int late_days)
{
    enum { DAY = 86400 };
    if (deadline == ROSTER_NEVER || t <= deadline) // also if t is ROSTER_NEVER
        return 0;
    const int64_t most = ROSTER_LATE_DAYS + late_days;
    int64_t n = (t - deadline) / DAY; // at most one off
    n = n > 1 ? n - 1 : 1;
    while (n <= most && days_after(deadline, n) < t)
        n++;
    n -= late_days;
    return n < 0 ? 0 : n > ROSTER_LATE_DAYS ? ROSTER_LATE_DAYS : (int)n;
}

int64_t roster_forgive(int64_t t, int minutes)
{
    return t == ROSTER_NEVER ? t : t - (int64_t)minutes * MINUTE;
}
