/*
 * build.c: from a submission's sources to a program
 *
 * The student's files are compiled with the kit's flags (warnings are theirs to
 * read) and linked with objects that the kit's own build has made: the lab's
 * staff code, the runner, the judge. Their Makefile never runs.
 */
#define _GNU_SOURCE
#include "build.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */

#include "audit.h"
#include "compiler.h"
#include "objects.h"
#include "staff.h"

/* The first line that says "error", or the first at all. */
static void first_error(const char *output, char *line, size_t nbytes)
{
    const char *at = output;
    for (const char *p = output; p && *p; p = strchr(p, '\n')) {
        p += *p == '\n';
        const char *const end = strchrnul(p, '\n');
        const char *const error = strstr(p, "error");
        const char *const undefined = strstr(p, "undefined reference");
        if ((error && error < end) || (undefined && undefined < end)) {
            at = p;
            break;
        }
    }
    snprintf(line, nbytes, "%.*s", (int)(strchrnul(at, '\n') - at), at);
}

/* What goes wrong in a compiler is the student's fault. */
static int judge_end(const struct sandbox_end *end, struct result *r)
{
    char line[512];
    if (result_log(r, "build", end) != 0)
        return -1;
    if (end->timed_out)
        return result_stop(r, OUTCOME_FAIL, "compiling took over %d s",
                           COMPILER_SEC);
    if (end->flooded || end->out_of_memory)
        return result_stop(r, OUTCOME_FAIL, "compiling took too much %s",
                           end->flooded ? "disk" : "memory");
    first_error(end->log.head, line, sizeof line);
    if (end->status == COMPILER_NO_TOOL)
        return result_stop(r, OUTCOME_INFRA, "cannot compile here: %s", line);
    if (end->status != 0)
        return result_stop(r, OUTCOME_FAIL, "it does not compile: %s", line);
    return 0;
}

struct outside { /* the search for a file that a source must not include */
    const struct compiler *compiler;
    char path[PATH_MAX]; /* it, once it is found */
};

/* True if a file is not the student's, the kit's or the system's. */
static int is_outside(const char *path, void *arg)
{
    struct outside *const o = arg;
    const struct sandbox *const s = &o->compiler->sandbox;
    const char *const places[] = {"/common", o->compiler->place->machine.seen,
                                  "/staff"};
    const int is_system = strncmp(path, "/usr/", 5) == 0;
    int found = path[0] == '/' ? !is_system : strncmp(path, "../", 3) == 0;
    for (int i = 0; i < 3 && found; i++) {
        const char *const place = sandbox_path(s, places[i]);
        found = strncmp(path, place, strlen(place)) != 0;
    }
    found |= strstr(path, "/../") != NULL && !is_system;
    if (found)
        snprintf(o->path, sizeof o->path, "%s", path);
    return found;
}

/*
 * What the sources include, and what the objects define and ask for, before
 * they are linked. From isolation level 2 on the sandbox has nothing else in
 * it; below, this is what stands between a submission and the solution.
 */
static int audit(const struct compiler *c, struct result *r)
{
    struct outside o = {.compiler = c};
    const struct place *const p = c->place;
    char path[PATH_MAX + 300], why[256];
    for (int i = 0; i < p->plan->nfiles; i++) {
        const char *const file = p->plan->file[i];
        if (!compiler_takes(file))
            continue;
        if (compiler_includes(c->out, file, is_outside, &o) > 0)
            return result_stop(r, OUTCOME_SUSPECTED,
                               "%s includes %.300s, which is not the kit's; a "
                               "person will look at it",
                               file, o.path);
        snprintf(path, sizeof path, "%s/%s.o", c->out, file);
        if (audit_object(path, machine_is_real(&p->machine), why, sizeof why) !=
            0)
            return result_stop(r, OUTCOME_SUSPECTED,
                               "%s: %s, which no solution needs; a person will "
                               "look at it",
                               file, why);
    }
    return 0;
}

int build_program(const struct request *q, const struct place *p,
                  struct result *r)
{
    char done[PLAN_MAX_FILES] = {0};
    struct compiler c;
    struct sandbox_end end;
    if (staff_give(p, r) != 0)
        return -1;
    if (compiler_init(&c, q, p, p->work) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %m", c.out);
    if (q->objects)
        objects_reuse(q, p, done);
    compiler_compile(&c, done, &end);
    if (judge_end(&end, r) != 0 || audit(&c, r) != 0)
        return -1;
    compiler_link(&c, &end);
    return judge_end(&end, r);
}
