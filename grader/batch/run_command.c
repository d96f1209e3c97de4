#include "run_command.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* abort */
#include <string.h> /* strrchr */
#include <unistd.h> /* getpid */

static void path(char out[PATH_MAX], const char *spool, const char *name,
                 const char *suffix)
{
    if (snprintf(out, PATH_MAX, "%s/%s.%s", spool, name, suffix) >= PATH_MAX)
        abort(); // the spool's path is checked to be short
}

void run_command_make(struct run_command *c, const char *name, uint64_t seed)
{
    path(c->sub, c->spool, name, "sub");
    path(c->json, c->spool, name, "json");
    path(c->work, c->spool, name, "work");
    snprintf(c->seed, sizeof c->seed, "%llu", (unsigned long long)seed);
    snprintf(c->level, sizeof c->level, "%d", c->isolation);
    snprintf(c->student, sizeof c->student, "%.*s",
             (int)(strrchr(name, '@') ? strrchr(name, '@') - name : 0), name);
    snprintf(c->parent, sizeof c->parent, "%d", (int)getpid());
    const char *const v[] = {
        c->self,   "run",       "--quiet",     "--timeline", "--lab",
        c->lab,    "--seed",    c->seed,       "--json",     c->json,
        "--work",  c->work,     "--isolation", c->level,     "--with-parent",
        c->parent, "--student", c->student,    c->sub};
    const size_t n = sizeof v / sizeof *v;
    _Static_assert(sizeof v + 5 * sizeof *v <= sizeof c->v, "room for it all");
    memcpy(c->v, v, sizeof v);
    char **end = c->v + n;
    const char *const more[][2] = {{"--objects", c->objects},
                                   {"--case", c->cases}};
    for (int i = 0; i < 2; i++)
        if (more[i][1]) {
            *end++ = (char *)more[i][0];
            *end++ = (char *)more[i][1];
        }
    *end = NULL;
}
