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
#include <unistd.h> /* access */

#include "compiler.h"
#include "objects.h"
#include "staff.h"
#include "vet.h"

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
    if (end->status == COMPILER_KILLED)
        return result_stop(r, OUTCOME_INFRA,
                           "a compiler was killed from outside");
    first_error(end->log.head, line, sizeof line);
    if (end->status == COMPILER_NO_TOOL)
        return result_stop(r, OUTCOME_INFRA, "cannot compile here: %s", line);
    if (end->status != 0)
        return result_stop(r, OUTCOME_FAIL, "it does not compile: %s", line);
    return 0;
}

/* ---- what it is made of ------------------------------------------------- */

/* What is refused is the student's to mend; what cannot be read, this
 * machine's. */
static int judge_check(const struct vet *c, int found, struct result *r)
{
    if (found == 0)
        return 0;
    return result_stop(r, found > 0 ? OUTCOME_FAIL : OUTCOME_INFRA,
                       found > 0 ? "it does not build: %s" : "%s", c->why);
}

/* A file in the folder of objects, of file i of the plan. */
static const char *in_out(const struct compiler *c, int i, const char *suffix,
                          char path[PATH_MAX + 300])
{
    snprintf(path, PATH_MAX + 300, "%s/%s.%s", c->out, c->place->plan->file[i],
             suffix);
    return path;
}

static int check_sources(struct vet *check, const struct compiler *c,
                         struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char path[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles && !err; i++) {
        const char *const dot = strrchr(plan->file[i], '.');
        snprintf(path, sizeof path, "%s/%s", c->src, plan->file[i]);
        if (dot && strcmp(dot, ".txt") != 0)
            err = judge_check(check, vet_source(check, path), r);
    }
    return err;
}

/* What the preprocessor left, as far as it got: the compiler may have failed
 * because of what is refused here. */
static int check_texts(struct vet *check, const struct compiler *c,
                       struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char text[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles && !err; i++)
        if (compiler_takes(plan->file[i]) &&
            access(in_out(c, i, "i", text), R_OK) == 0)
            err = judge_check(check, vet_preprocessed(check, text), r);
    return err;
}

static int check_objects(struct vet *check, const struct compiler *c,
                         struct result *r)
{
    const struct plan *const plan = c->place->plan;
    char object[PATH_MAX + 300], text[PATH_MAX + 300];
    int err = 0;
    for (int i = 0; i < plan->nfiles; i++)
        if (compiler_takes(plan->file[i]))
            audit_defined(&check->audit, in_out(c, i, "o", object));
    for (int i = 0; i < plan->nfiles && !err; i++) {
        if (!compiler_takes(plan->file[i]))
            continue;
        in_out(c, i, "i", text);
        in_out(c, i, "o", object);
        err = judge_check(check, vet_object(check, object, text, plan->file[i]),
                          r);
    }
    return err;
}

/* What the kit's half of the lab gives to the student's: its interface. */
static int load_given(struct vet *check, const struct place *p,
                      struct result *r)
{
    char path[PATH_MAX + 32], names[BACKEND_TOOLCHAIN];
    machine_toolchain(&p->machine, "kit", names);
    snprintf(path, sizeof path, "%s/staff/kit.api", p->work);
    if (!names[0] || names_load(&check->audit.given, path) == 0)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "cannot read %s: %m", path);
}

/* Compile, and look at what is compiled before and after. */
static int compile(const struct request *q, const struct compiler *c,
                   struct vet *check, struct result *r)
{
    const struct place *const p = c->place;
    char done[PLAN_MAX_FILES] = {0};
    struct sandbox_end end;
    if (load_given(check, p, r) != 0 || check_sources(check, c, r) != 0)
        return -1;
    if (q->objects)
        objects_reuse(q, p, done);
    compiler_compile(c, done, &end);
    const int ended = !end.infra && !end.timed_out && !end.flooded &&
                      !end.out_of_memory && end.status != COMPILER_NO_TOOL;
    if (ended && check_texts(check, c, r) != 0)
        return -1;
    return judge_end(&end, r) == 0 && check_objects(check, c, r) == 0 ? 0 : -1;
}

int build_program(const struct request *q, const struct place *p,
                  struct result *r)
{
    struct compiler c;
    struct sandbox_end end;
    if (staff_give(p, r) != 0)
        return -1;
    if (compiler_init(&c, q, p, p->work) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %m", c.out);
    struct vet check = {.folder = {c.src, c.staff},
                        .audit.by_nvcc = machine_is_real(&p->machine)};
    const int err = compile(q, &c, &check, r);
    names_release(&check.audit.given);
    if (err)
        return -1;
    compiler_link(&c, &end);
    return judge_end(&end, r);
}
