#define _GNU_SOURCE
#include "grader/job/place.h"

#include <stdio.h>       /* snprintf */
#include <stdlib.h>      /* mkdtemp */
#include <string.h>      /* strrchr */
#include <sys/stat.h>    /* stat */
#include <sys/statvfs.h> /* statvfs */
#include <unistd.h>      /* readlink */

#include "base/temp.h"
#include "grader/base/folder.h"

/* ---- the kit ------------------------------------------------------------- */

/* Find the kit: this program is in its build folder, and the kit is the folder
 * above that contains grader/plans. */
static int find_root(struct place *p)
{
    char probe[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", p->kit, sizeof p->kit - 1);
    p->kit[n > 0 ? n : 0] = 0;
    snprintf(p->build, sizeof p->build, "%.*s",
             (int)(strrchr(p->kit, '/') - p->kit), p->kit);
    for (char *slash; (slash = strrchr(p->kit, '/')) != NULL;) {
        *slash = 0;
        snprintf(probe, sizeof probe, "%s/grader/plans", p->kit);
        if (access(probe, R_OK) == 0)
            return 0;
    }
    return -1;
}

/* Find the judge and the full name for "lab1" or "lab1-collectives". */
static const struct judge_lab *find_lab(const char *name)
{
    const size_t n = strlen(name);
    for (int i = 0; judge_labs[i]; i++) {
        const char *const lab = judge_labs[i]->lab;
        if (strcmp(lab, name) == 0 ||
            (strncmp(lab, name, n) == 0 && lab[n] == '-'))
            return judge_labs[i];
    }
    return NULL;
}

static int load_plan(struct place *p, char *err, size_t err_nbytes)
{
    char plan[PATH_MAX + 128], hidden[PATH_MAX + 128];
    snprintf(plan, sizeof plan, "%s/grader/plans/%s.yaml", p->kit, p->lab);
    snprintf(hidden, sizeof hidden, "%s/grader/plans/hidden/%s.yaml", p->kit,
             p->lab);
    p->plan = plan_load(plan, hidden, err, err_nbytes);
    return p->plan && plan_check_times(p->plan, err, err_nbytes) == 0 &&
                   plan_check_machines(p->plan, err, err_nbytes) == 0 &&
                   judge_check_kinds(p->judge, p->plan, err, err_nbytes) == 0
               ? 0
               : -1;
}

/* Find the folder of contracts. A student's copy of the kit has no
 * solutions. */
static int find_contracts(struct place *p, char *err, size_t err_nbytes)
{
    static const char *const homes[] = {"solutions", "labs"};
    struct stat st;
    for (int i = 0; i < 2; i++) {
        if (snprintf(p->contracts, sizeof p->contracts, "%s/%s/%s", p->kit,
                     homes[i], p->lab) >= (int)sizeof p->contracts) {
            snprintf(err, err_nbytes, "the kit's path is too long");
            return -1;
        }
        if (stat(p->contracts, &st) == 0 && S_ISDIR(st.st_mode))
            break;
    }
    return 0;
}

int place_find(struct place *p, const struct request *r, char *err,
               size_t err_nbytes)
{
    *p = (struct place){.plan = NULL};
    if (find_root(p) != 0) {
        snprintf(err, err_nbytes,
                 "the kit is not above this program: run build/grade where it "
                 "was built");
        return -1;
    }
    p->judge = find_lab(r->lab);
    if (!p->judge) {
        snprintf(err, err_nbytes, "there is no lab \"%s\"", r->lab);
        return 1;
    }
    snprintf(p->lab, sizeof p->lab, "%s", p->judge->lab);
    if (load_plan(p, err, err_nbytes) != 0 ||
        find_contracts(p, err, err_nbytes) != 0)
        return -1;
    return machine_find(&p->machine, p->build, r->backend, r->measured, err,
                        err_nbytes);
}

void place_release(struct place *p)
{
    plan_free(p->plan);
    json_decref(p->machine.gpus);
    *p = (struct place){.plan = NULL};
}

int place_has_cases(const struct place *p, const char *cases, char *err,
                    size_t err_nbytes)
{
    const char *left = cases;
    for (char name[REQUEST_NAME]; request_next_case(&left, name);) {
        char near[256];
        if (plan_find(p->plan, name))
            continue;
        plan_near(p->plan, name, near, sizeof near);
        snprintf(err, err_nbytes, "%s has no case \"%s\"%s%s%s", p->lab, name,
                 near[0] ? ": did you mean " : "", near, near[0] ? "?" : "");
        return -1;
    }
    return 0;
}

/* ---- the work folder ----------------------------------------------------- */

/* True if programs cannot be started from this folder. */
static int is_noexec(const char *folder)
{
    struct statvfs st;
    return statvfs(folder, &st) == 0 && (st.f_flag & ST_NOEXEC) != 0;
}

/* No other user can write to the folder. At isolation level 3 a submission's
 * user can pass through it to bound folders, but cannot list it. */
int place_make_work(struct place *p, const struct request *r, char *err,
                    size_t err_nbytes)
{
    if (r->work)
        snprintf(p->work, sizeof p->work, "%s", r->work);
    else
        temp_path(p->work, sizeof p->work, "commlab-grade");
    const int made =
        (r->work ? folder_make(p->work) == 0 : mkdtemp(p->work) != NULL) &&
        chmod(p->work, 0711) == 0;
    snprintf(p->tmp, sizeof p->tmp, "%s/tmp", p->work);
    if (!made || folder_make(p->tmp) != 0)
        snprintf(err, err_nbytes, "cannot make %s: %m%s",
                 made ? p->tmp : p->work,
                 r->work ? "" : " (set TMPDIR to a folder of yours)");
    else if (is_noexec(p->work))
        snprintf(err, err_nbytes,
                 "%s is mounted noexec, so no program starts there: set %s to "
                 "another folder",
                 p->work, r->work ? "the batch's --spool" : "TMPDIR");
    else
        return 0;
    return -1;
}

void place_remove_work(struct place *p)
{
    if (p->work[0])
        folder_remove(p->work);
    p->work[0] = 0;
}
