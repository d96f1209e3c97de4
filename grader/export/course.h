/*
 * course.h: one gradebook over the ledgers of all labs
 *
 * A student's total is the weighted mean of the labs' shares of their points,
 * without the lowest few. A lab that the student was not asked for (excused, or
 * on none of its rosters) doesn't count; one for which nothing was handed in is
 * a zero, as it is once the course ends. As long as a lab is suspected or not
 * graded yet, there is no total.
 *
 * The pool has days that cost nothing, beyond those that a roster gives for one
 * lab. They go where they save the student the most points; if it doesn't
 * matter, to earlier labs.
 */
#ifndef GRADER_COURSE_H
#define GRADER_COURSE_H

#include "grader/export/export.h"

enum { COURSE_LABS = 64, COURSE_POOL = 365 };

struct course_lab {
    char name[64], title[200];
    const char *assignment; /* Canvas' number; may be NULL */
    double weight, max_score;
};

struct course {
    struct export part[COURSE_LABS]; /* a lab of one ledger, loaded */
    char part_lab[COURSE_LABS][64];
    int nparts;
    struct course_lab lab[COURSE_LABS]; /* in the order of the parts */
    int nlabs;
    int pool, drop;
    double late_percent, points; /* points: those of the total */
    const char *assignment;      /* Canvas' number of the total; may be NULL */
    const char *out;
};

enum course_state { COURSE_COUNTS, COURSE_MISSING, COURSE_WAITS, COURSE_NONE };

struct course_mark {       /* a student's result in one lab */
    const struct row *row; /* NULL: on none of its rosters */
    enum course_state state;
    int late, free; /* days late; days of the pool for them */
    double score;   /* less the cost of the other days */
    double share;   /* the part of the lab's points that this is */
    int dropped;
};

struct course_result {
    const struct student *student;
    int part; /* whose roster that is from */
    struct course_mark mark[COURSE_LABS];
    int pool_left;
    int has_total;
    double total;
};

/* Each writes c->out. Returns 0, or -1 after printing why. */
int course_csv(const struct course *c);
int course_canvas(const struct course *c);
int course_moodle(const struct course *c);

#endif
