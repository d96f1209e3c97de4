#include "lab/kit.h"

#include <limits.h> /* PATH_MAX */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strrchr */
#include <unistd.h> /* readlink */

#include "lab/lab.h"

/* The path of this program. */
static void find_self(char self[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", self, PATH_MAX - 1);
    self[n > 0 ? n : 0] = 0;
}

int kit_plans(char *dir, size_t nbytes)
{
    char self[PATH_MAX], path[2 * PATH_MAX];
    const char *const set = getenv("COMMLAB_PLANS");
    if (set) {
        snprintf(dir, nbytes, "%s", set);
        return 0;
    }
    find_self(self);
    for (char *slash; (slash = strrchr(self, '/')) != NULL;) {
        *slash = 0;
        snprintf(dir, nbytes, "%s/grader/plans", self);
        snprintf(path, sizeof path, "%s/%s.yaml", dir, lab.name);
        if (access(path, R_OK) == 0)
            return 0;
    }
    return -1;
}

void kit_answers(char *path, size_t nbytes)
{
    char self[PATH_MAX], plans[PATH_MAX];
    const char *const set = getenv("COMMLAB_ANSWERS");
    path[0] = 0;
    find_self(self);
    if (set)
        snprintf(path, nbytes, "%s", set);
    else if (kit_plans(plans, sizeof plans) == 0)
        snprintf(path, nbytes, "%s/../../%s/%s/answers.txt", plans,
                 strstr(self, "/solutions/") ? "solutions" : "labs", lab.name);
}
