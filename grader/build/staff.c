#define _GNU_SOURCE
#include "grader/build/staff.h"

#include <dirent.h>   /* opendir */
#include <errno.h>    /* errno */
#include <stdio.h>    /* snprintf */
#include <string.h>   /* strrchr */
#include <sys/stat.h> /* mkdir */
#include <unistd.h>   /* access */

#include "grader/base/file.h"

static int is_student_file(const struct plan *p, const char *name)
{
    for (int i = 0; i < p->nfiles; i++)
        if (strcmp(p->file[i], name) == 0)
            return 1;
    return 0;
}

/* Copy a file of the kit to WORK/staff. */
static int give(const struct place *p, const char *from, const char *name,
                struct result *r)
{
    char to[PATH_MAX + 320];
    snprintf(to, sizeof to, "%s/staff/%s", p->work, name);
    if (file_copy(from, to) == 0)
        return 0;
    const int why = errno;
    if (access(from, R_OK) != 0)
        return result_stop(r, OUTCOME_INFRA,
                           "the kit is not built: cannot copy %s (run make)",
                           from);
    return result_stop(
        r, OUTCOME_INFRA,
        "cannot write %s: %s (TMPDIR, or a batch's --spool, says "
        "where)",
        to, strerror(why));
}

/*
 * Copy a folder's headers, and the objects that the kit's build made from its
 * sources in `objects` (NULL: none), except those with the name of a file that
 * students hand in.
 */
static int give_folder(const struct place *p, const char *folder,
                       const char *objects, struct result *r)
{
    char from[2 * PATH_MAX], name[300];
    DIR *const dir = opendir(folder);
    if (!dir)
        return result_stop(r, OUTCOME_INFRA, "cannot read %s", folder);
    int err = 0;
    for (struct dirent *d; !err && (d = readdir(dir)) != NULL;) {
        const char *const dot = strrchr(d->d_name, '.');
        if (!dot || d->d_name[0] == '.' || is_student_file(p->plan, d->d_name))
            continue;
        if (strcmp(dot, ".h") == 0) {
            snprintf(from, sizeof from, "%s/%s", folder, d->d_name);
            err = give(p, from, d->d_name, r);
        } else if (objects &&
                   (strcmp(dot, ".c") == 0 || strcmp(dot, ".cu") == 0)) {
            snprintf(name, sizeof name, "%.*s.o", (int)(dot - d->d_name),
                     d->d_name);
            snprintf(from, sizeof from, "%s/%s", objects, name);
            err = give(p, from, name, r);
        }
    }
    closedir(dir);
    return err;
}

/* Copy the files of build/NAME/FOLDER that a list of the toolchain names. */
static int give_listed(const struct place *p, const char *list,
                       const char *folder, struct result *r)
{
    const struct machine *const m = &p->machine;
    char names[BACKEND_TOOLCHAIN], from[2 * PATH_MAX + BACKEND_TOOLCHAIN];
    int err = 0;
    machine_toolchain(m, list, names);
    for (char *rest, *name = strtok_r(names, " ", &rest); name && !err;
         name = strtok_r(NULL, " ", &rest)) {
        const char *const slash = strrchr(name, '/');
        snprintf(from, sizeof from, "%s/%s/%s%s", p->build, m->backend->name,
                 folder, name);
        err = give(p, from, slash ? slash + 1 : name, r);
    }
    return err;
}

/* True if the kit's half of the lab is one object, whose names are hidden. */
static int has_kit(const struct place *p)
{
    char names[BACKEND_TOOLCHAIN];
    machine_toolchain(&p->machine, "kit", names);
    return names[0] != 0;
}

/* Copy what a submission is linked with. The solution must not be
 * visible in any form. */
int staff_give(const struct place *p, struct result *r)
{
    char from[2 * PATH_MAX], objects[2 * PATH_MAX];
    char staff[sizeof p->lab + 16];
    const struct backend *const b = p->machine.backend;
    snprintf(staff, sizeof staff, "staff/%s/", p->lab);
    snprintf(from, sizeof from, "%s/staff", p->work);
    if (mkdir(from, 0755) != 0)
        return result_stop(r, OUTCOME_INFRA, "cannot make %s", from);
    snprintf(from, sizeof from, "%s/common/staff/%s", p->kit, p->lab);
    snprintf(objects, sizeof objects, "%s/%s/obj/common/staff/%s", p->build,
             b->name, p->lab);
    return give_folder(p, p->contracts, NULL, r) == 0 &&
                   give_folder(p, from, has_kit(p) ? NULL : objects, r) == 0 &&
                   give_listed(p, "kit", staff, r) == 0 &&
                   give_listed(p, "api", staff, r) == 0 &&
                   give_listed(p, "archives", "", r) == 0 &&
                   give_listed(p, "objects", "obj/", r) == 0
               ? 0
               : -1;
}
