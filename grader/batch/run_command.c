#include "grader/batch/run_command.h"

#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* abort */
#include <string.h> /* strrchr */
#include <unistd.h> /* getpid */

static void path(char out[PATH_MAX], const char *spool, const char *name,
                 const char *suffix)
{
    if (snprintf(out, PATH_MAX, "%s/%s.%s", spool, name, suffix) >= PATH_MAX)
        abort(); // the spool's path was checked to be short
}

/* Read who handed in together; "" if there is no such file. */
static void read_members(struct run_command *c, const char *name)
{
    char file[PATH_MAX];
    path(file, c->spool, name, "members");
    FILE *const f = fopen(file, "re");
    c->members[0] = 0;
    if (f && !fgets(c->members, sizeof c->members, f))
        c->members[0] = 0;
    if (f)
        fclose(f);
}

int run_command_keep_members(const char *spool, const char *name,
                             const char *members)
{
    char file[PATH_MAX];
    path(file, spool, name, "members");
    FILE *const f = *members ? fopen(file, "we") : NULL;
    const int failed = f && fputs(members, f) < 0;
    return *members && (!f || fclose(f) != 0 || failed) ? -1 : 0;
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
    _Static_assert(sizeof v + 7 * sizeof *v <= sizeof c->v, "room for it all");
    memcpy(c->v, v, sizeof v);
    char **end = c->v + n;
    read_members(c, name);
    const char *const members = c->members[0] ? c->members : NULL;
    const char *const more[][2] = {{"--objects", c->objects},
                                   {"--case", c->cases},
                                   {"--members", members}};
    for (int i = 0; i < 3; i++)
        if (more[i][1]) {
            *end++ = (char *)more[i][0];
            *end++ = (char *)more[i][1];
        }
    *end = NULL;
}
