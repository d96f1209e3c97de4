/*
 * build.c: from a submission's sources to a program
 *
 * The student's files are compiled with the kit's flags (warnings are shown to
 * the student) and linked with objects from the kit's own build: the lab's
 * staff code, the runner, the judge. The student's Makefile is never run.
 */
#define _GNU_SOURCE
#include "grader/build/build.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* strstr */
#include <unistd.h> /* access */

#include "grader/build/broken.h"
#include "grader/build/compiler.h"
#include "grader/build/errors.h"
#include "grader/build/objects.h"
#include "grader/build/staff.h"
#include "grader/vet/vet.h"

/* ---- how it ended -------------------------------------------------------- */

/* A compiler that fails is the student's fault. */
static int judge_end(const struct sandbox_end *end, struct result *r)
{
    char lines[3000];
    if (result_log(r, "build", end) != 0)
        return -1;
    if (end->timed_out)
        return result_stop(r, OUTCOME_FAIL,
                           "compiling took over %d s, twice, without the "
                           "time that other programs took",
                           COMPILER_SEC);
    if (end->flooded || end->out_of_memory || end->crowded)
        return result_stop(r, OUTCOME_FAIL, "compiling took too %s",
                           end->flooded         ? "much disk"
                           : end->out_of_memory ? "much memory"
                                                : "many processes");
    if (end->status == COMPILER_KILLED)
        return result_stop(r, OUTCOME_INFRA,
                           "a compiler was killed from outside");
    errors_list(end->log.head, lines, sizeof lines);
    if (end->status == COMPILER_CLOSED)
        return result_stop(
            r, OUTCOME_INFRA,
            "the user of the sandbox can't read %s: if it is the "
            "kit's, chmod -R a+rX the kit's folder, and make it "
            "with umask 022",
            lines);
    if (end->status == COMPILER_NO_TOOL)
        return result_stop(r, OUTCOME_INFRA, "cannot compile here: %s", lines);
    if (end->status != 0)
        return result_stop(r, OUTCOME_FAIL, "it does not compile: %s", lines);
    return 0;
}

/* ---- checking what it is made of ----------------------------------------- */

/* Refused code is for the student to fix; a file that can't be read is this
 * machine's fault. */
static int judge_check(const struct vet *c, int found, struct result *r)
{
    if (found == 0)
        return 0;
    return result_stop(r, found > 0 ? OUTCOME_FAIL : OUTCOME_INFRA,
                       found > 0 ? "it does not build: %s" : "%s", c->why);
}

/* The path, in the folder of objects, of a file that belongs to file
 * i of the plan. */
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

/* Check the preprocessor's output as far as it exists: the compiler may have
 * failed because of what is refused here. */
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

/* Load the names that the kit's half of the lab offers to the student's
 * half. */
static int load_given(struct vet *check, const struct place *p,
                      struct result *r)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/staff/kit.api", p->work);
    if (names_load(&check->audit.given, path) == 0)
        return 0;
    return result_stop(r, OUTCOME_INFRA, "cannot read %s: %m", path);
}

/* ---- a file that does not compile or link -------------------------------- */

/* True if no limit, nor this machine, ended the compilers. */
static int ran_to_end(const struct sandbox_end *end)
{
    return !end->infra && !end->timed_out && !end->flooded &&
           !end->out_of_memory && !end->crowded;
}

/* Compile once more, with the lab's own in place of broken files. What was said
 * of them stays in *end if that fails, too. Returns 0 if it worked. */
static int compile_others(const struct compiler *c, const struct broken *b,
                          const char *what, char *done, struct sandbox_end *end,
                          struct result *r)
{
    struct sandbox_end again;
    if (broken_replace(c, b, what, done, r) != 0)
        return -1;
    compiler_compile(c, done, &again);
    if (!again.infra && again.status != 0)
        return -1;
    result_log(r, "build", end);
    *end = again;
    return 0;
}

/* True if what a compiler or linker says is about the student's files. */
static int is_about_files(const struct sandbox_end *end)
{
    return ran_to_end(end) && end->status != 0 && end->status < COMPILER_CLOSED;
}

/* Compile, and check sources before and what they expand to after. */
static int compile(const struct request *q, const struct compiler *c,
                   struct vet *check, char *done, struct result *r)
{
    const struct place *const p = c->place;
    struct broken b;
    struct sandbox_end end;
    if (load_given(check, p, r) != 0 || check_sources(check, c, r) != 0)
        return -1;
    if (q->objects)
        objects_reuse(q, p, done);
    compiler_compile(c, done, &end);
    if (end.timed_out && !end.infra) // perhaps only among others
        compiler_compile(c, done, &end);
    if (ran_to_end(&end) && end.status != COMPILER_NO_TOOL &&
        end.status != COMPILER_CLOSED && check_texts(check, c, r) != 0)
        return -1;
    broken_find(&b, c);
    if (is_about_files(&end))
        compile_others(c, &b, "compile", done, &end, r);
    return judge_end(&end, r);
}

/*
 * Link. A name that is missing or defined twice costs the parts of a file, not
 * all: as long as the linker complains, put the lab's own in place of another
 * file. Then check the objects, and judge the last attempt.
 */
static int link_all(const struct compiler *c, struct vet *check, char *done,
                    struct result *r)
{
    struct broken b;
    struct sandbox_end end, compiled;
    char replaced[PLAN_MAX_FILES] = {0};
    compiler_link(c, &end);
    while (is_about_files(&end) &&
           broken_find_linked(&b, c, end.log.head, replaced) > 0) {
        compiled = end;
        if (compile_others(c, &b, "link", done, &compiled, r) != 0)
            break;
        compiler_link(c, &end);
    }
    return check_objects(check, c, r) == 0 ? judge_end(&end, r) : -1;
}

int build_program(const struct request *q, const struct place *p,
                  struct result *r)
{
    struct compiler c;
    char done[PLAN_MAX_FILES] = {0};
    if (staff_give(p, r) != 0)
        return -1;
    if (compiler_init(&c, q, p, p->work) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s: %m", c.out);
    struct vet check = {.folder = {c.src, c.staff},
                        .audit.by_nvcc = machine_is_real(&p->machine)};
    const int err = compile(q, &c, &check, done, r) != 0 ||
                    link_all(&c, &check, done, r) != 0;
    names_release(&check.audit.given);
    return err ? -1 : 0;
}
