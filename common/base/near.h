/*
 * near.h: how far a misspelt name is from a known one
 */
#ifndef COMMLAB_BASE_NEAR_H
#define COMMLAB_BASE_NEAR_H

/* The number of letters to insert, remove or replace to turn a into b. Only the
 * first 64 letters of each count. */
int near_distance(const char *a, const char *b);

struct near {         /* the known name that is nearest to a word so far */
    const char *name; /* NULL: none yet */
    int distance;
};

/* Take `known` if it is nearer to the word than n's name, and at most `most`
 * letters away. Of equally near names the first remains. */
void near_try(struct near *n, const char *word, const char *known, int most);

#endif
