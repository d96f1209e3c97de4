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

/* ---- errors -------------------------------------------------------------- */

enum { MOST_ERRORS = 8 };

static const char *next_line(const char *line)
{
    const char *const end = strchrnul(line, '\n');
    return *end ? end + 1 : end;
}

/* `what` within the line, or NULL. */
static const char *in_line(const char *line, const char *what)
{
    const char *const found = strstr(line, what);
    return found && found < strchrnul(line, '\n') ? found : NULL;
}

static int is_error(const char *line)
{
    if (in_line(line, "ld returned"))
        return 0; // says no more than the lines before it
    return in_line(line, "error: ") || in_line(line, "undefined reference");
}

/* True if a compiler's line begins with a place in a file of the student's,
 * which are compiled in their own folder: "p2p.c:12:5: ". */
static int is_own(const char *line)
{
    const size_t n = strcspn(line, " :\n");
    return line[0] != '/' && line[0] != '.' && line[n] == ':' &&
           line[n + 1] >= '0' && line[n + 1] <= '9';
}

/* The line of the student's in which a macro of the kit's is expanded that the
 * error is in; or the error itself. */
static const char *own_line(const char *error)
{
    if (is_own(error))
        return error;
    for (const char *p = next_line(error); *p && !is_error(p); p = next_line(p))
        if (is_own(p) && in_line(p, "note: in expansion of macro"))
            return p;
    return error;
}

/*
 * All errors, a line each, the student's own place first:
 *
 *     p2p.c:30:5: expected ';' before 'do' (in the macro LAB_TRY)
 */
static void list_errors(const char *output, char *out, size_t nbytes)
{
    size_t at = 0;
    int n = 0;
    out[0] = 0;
    for (const char *p = output; *p; p = next_line(p)) {
        if (!is_error(p) || n++ >= MOST_ERRORS || at >= nbytes - 1)
            continue;
        if (strncmp(p, "/src/", 5) == 0) // the linker's name of the folder
            p += 5;
        const char *const own = own_line(p);
        const char *const text = own == p ? p : in_line(p, "error: ");
        const char *const macro =
            own == p ? NULL : in_line(own, "note: in expansion of macro");
        at += (size_t)snprintf(out + at, nbytes - at, "%s%.*s%.*s",
                               at ? "\n" : "", macro ? (int)(macro - own) : 0,
                               own, (int)strcspn(text, "\n"), text);
        if (macro && at < nbytes)
            at += (size_t)snprintf(out + at, nbytes - at,
                                   " (%.*s; what stands before it?)",
                                   (int)strcspn(macro + 9, "\n"), macro + 9);
    }
    if (n > MOST_ERRORS && at < nbytes)
        snprintf(out + at, nbytes - at, "\nand %d more", n - MOST_ERRORS);
    if (n == 0)
        snprintf(out, nbytes, "%.*s", (int)strcspn(output, "\n"), output);
}

/* What goes wrong in a compiler is the student's fault. */
static int judge_end(const struct sandbox_end *end, struct result *r)
{
    char lines[3000];
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
    list_errors(end->log.head, lines, sizeof lines);
    if (end->status == COMPILER_NO_TOOL)
        return result_stop(r, OUTCOME_INFRA, "cannot compile here: %s", lines);
    if (end->status != 0)
        return result_stop(r, OUTCOME_FAIL, "it does not compile: %s", lines);
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
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/staff/kit.api", p->work);
    if (names_load(&check->audit.given, path) == 0)
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
