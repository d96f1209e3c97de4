/*
 * compiler.h: compilers in a sandbox
 *
 * Sources are compiled and linked with the kit's own flags, which make has
 * written (machine.toolchain). The sandbox contains the kit's common/, the
 * library's folder, WORK/staff and the two folders here.
 */
#ifndef GRADER_COMPILER_H
#define GRADER_COMPILER_H

#include "grader/job/place.h"
#include "grader/job/request.h"
#include "grader/sandbox/sandbox.h"

enum {
    COMPILER_SEC = 300,    /* limit: a busy machine may run many */
    COMPILER_NO_TOOL = 99, /* exit status if a program is missing */
    COMPILER_KILLED = 98,  /* exit status if a compiler was killed */
    COMPILER_CLOSED = 97, /* exit status if a file can't be read, by its name */
    COMPILER_SCRIPT = 16384,
};

struct compiler {
    const struct place *place;
    struct sandbox sandbox;
    char common[PATH_MAX + 16], staff[PATH_MAX + 16], src[PATH_MAX + 32],
        out[PATH_MAX + 32];
};

/* Set up a compiler from FOLDER/src to FOLDER/out, which is created. Returns 0,
 * or -1 with errno set. */
int compiler_init(struct compiler *c, const struct request *q,
                  const struct place *p, const char *folder);

/* True if a file of the plan is compiled; other files are only read. */
int compiler_takes(const char *name);

/*
 * Write the script that compiles the plan's files. NAME gives NAME.o, its
 * includes in NAME.d, its preprocessed text in NAME.i, and the compiler's
 * output in NAME.said. Files with done[] set have all four already.
 */
void compiler_script(const struct place *p, const char *done,
                     char script[COMPILER_SCRIPT]);

/* Run that script, or link all objects, WORK/staff and the
 * libraries to `program`. */
void compiler_compile(const struct compiler *c, const char *done,
                      struct sandbox_end *end);
void compiler_link(const struct compiler *c, struct sandbox_end *end);

/*
 * Call visit for each file that NAME.d in the folder `out` lists, by its path
 * in the sandbox, the source itself first, until visit returns a value other
 * than 0, which is returned. Returns -1 if there is no NAME.d.
 */
int compiler_includes(const char *out, const char *name,
                      int (*visit)(const char *path, void *arg), void *arg);

#endif
