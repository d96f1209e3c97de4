/*
 * compiler.h: compilers in a sandbox
 *
 * Sources are compiled and linked with the kit's own flags, which make has
 * written (machine.toolchain). What is visible in the sandbox is the kit's
 * common/, the library's folder, WORK/staff and the two folders here.
 */
#ifndef GRADER_COMPILER_H
#define GRADER_COMPILER_H

#include "place.h"
#include "request.h"
#include "sandbox.h"

enum {
    COMPILER_SEC = 300,    /* at most: many may share a busy machine */
    COMPILER_NO_TOOL = 99, /* exit status where a program is missing, */
    COMPILER_KILLED = 98,  /* or was killed */
    COMPILER_SCRIPT = 16384,
};

struct compiler {
    const struct place *place;
    struct sandbox sandbox;
    char common[PATH_MAX + 16], staff[PATH_MAX + 16], src[PATH_MAX + 32],
        out[PATH_MAX + 32];
};

/* A compiler of FOLDER/src that writes to FOLDER/out, which it makes. 0, or -1
 * with errno set. */
int compiler_init(struct compiler *c, const struct request *q,
                  const struct place *p, const char *folder);

/* True if a file of the plan is compiled; others are only read. */
int compiler_takes(const char *name);

/*
 * Write the script that compiles the plan's files, NAME to NAME.o, with what it
 * includes in NAME.d, what the preprocessor makes of it in NAME.i, and what the
 * compiler says in NAME.said. Files that are done[] have all four already.
 */
void compiler_script(const struct place *p, const char *done,
                     char script[COMPILER_SCRIPT]);

/* Run that script; or link all objects, WORK/staff and the libraries to
 * `program`. */
void compiler_compile(const struct compiler *c, const char *done,
                      struct sandbox_end *end);
void compiler_link(const struct compiler *c, struct sandbox_end *end);

/*
 * Call visit for each file that NAME.d in the folder `out` lists, by its path
 * in the sandbox, the source itself first; until it returns other than 0, which
 * is returned. -1 if there is no NAME.d.
 */
int compiler_includes(const char *out, const char *name,
                      int (*visit)(const char *path, void *arg), void *arg);

#endif
