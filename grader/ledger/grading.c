#define _GNU_SOURCE
#include "grader/ledger/grading.h"

#include <fcntl.h>       /* open */
#include <limits.h>      /* PATH_MAX */
#include <math.h>        /* NAN */
#include <sodium.h>      /* crypto_generichash */
#include <stdio.h>       /* popen */
#include <stdlib.h>      /* calloc */
#include <string.h>      /* strcmp */
#include <sys/utsname.h> /* uname */
#include <unistd.h>      /* read */

#include "base/version.h"

static const char *text(const json_t *j, const char *key)
{
    const char *const s = json_string_value(json_object_get(j, key));
    return s ? s : "";
}

static double number(const json_t *j, const char *key)
{
    const json_t *const n = json_object_get(j, key);
    return json_is_number(n) ? json_number_value(n) : NAN;
}

static int whole(const json_t *j, const char *key)
{
    return (int)json_integer_value(json_object_get(j, key));
}

static struct grading_case case_of(const json_t *j)
{
    const json_t *const beneath = json_object_get(j, "beneath");
    return (struct grading_case){
        .name = text(j, "name"),
        .message = text(j, "message"),
        .rerun = text(j, "rerun"),
        .outcome = outcome_find(text(j, "outcome")),
        .part = whole(j, "part"),
        .ranks = whole(j, "ranks"),
        .hidden = json_is_true(json_object_get(j, "hidden")),
        .score = number(j, "score"),
        .max_score = number(j, "max_score"),
        .time_us = number(j, "time_us"),
        .reference_us = number(j, "reference_us"),
        .unfinished = json_is_true(json_object_get(j, "unfinished")),
        .beneath = number(beneath, "score"),
        .beneath_message = text(beneath, "message")};
}

static void take_prediction(struct grading *r, const json_t *j)
{
    r->prediction = text(j, "state");
    r->predicted_when = text(j, "when");
    r->predicted = number(j, "predicted");
    r->found = number(j, "measured");
}

int grading_parse(struct grading *r, const char *body)
{
    *r = (struct grading){.json = json_loads(body, 0, NULL)};
    const json_t *const j = json_object_get(r->json, "result");
    const json_t *const tests = json_object_get(j, "tests");
    if (!j)
        return -1;
    r->lab = text(j, "lab");
    r->title = text(j, "title");
    r->message = text(j, "message");
    r->notes = text(j, "notes");
    r->seed = text(j, "seed");
    r->timeline = text(j, "timeline");
    r->view = text(j, "view");
    r->in_words = text(j, "in_words");
    r->worklog = text(j, "worklog");
    take_prediction(r, json_object_get(j, "prediction"));
    r->outcome = outcome_find(text(j, "outcome"));
    r->score = json_number_value(json_object_get(j, "score"));
    r->max_score = json_number_value(json_object_get(j, "max_score"));
    r->backend = text(j, "backend");
    r->plan = text(json_object_get(r->json, "versions"), "plan");
    r->members = text(r->json, "members");
    r->measured = json_is_true(json_object_get(j, "measured"));
    r->isolation = whole(json_object_get(j, "isolation"), "level");
    r->submitted =
        (int64_t)json_integer_value(json_object_get(r->json, "submitted"));
    r->days_late = whole(r->json, "days_late");
    r->ncases = (int)json_array_size(tests);
    r->cases = calloc((size_t)r->ncases, sizeof *r->cases);
    if (!r->cases && r->ncases)
        abort();
    for (int i = 0; i < r->ncases; i++)
        r->cases[i] = case_of(json_array_get(tests, (size_t)i));
    return 0;
}

void grading_release(struct grading *r)
{
    json_decref(r->json);
    free(r->cases);
    *r = (struct grading){0};
}

json_t *grading_infra(const char *lab, uint64_t seed, const char *why)
{
    char number[32];
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:[]}", "lab", lab,
                     "outcome", outcome_name[OUTCOME_INFRA], "message", why,
                     "seed", number, "score", 0.0, "max_score", 0.0, "tests");
}

/* ---- versions ------------------------------------------------------------ */

static void add_file(crypto_generichash_state *s, const char *kit,
                     const char *name)
{
    char path[PATH_MAX + 100], chunk[65536];
    snprintf(path, sizeof path, "%s/%s", kit, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    crypto_generichash_update(s, (const unsigned char *)name, strlen(name) + 1);
    for (ssize_t n; fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0;)
        crypto_generichash_update(s, (const unsigned char *)chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
}

/* Digest everything that a verdict depends on: grader, runner, judges,
 * simgpu. */
static void kit_digest(const char *kit, char hex[33])
{
    static const char *const parts[] = {
        "build/grade",
        "build/sim/libbase.a",
        "build/sim/liblab.a",
        "build/sim/libjudge.a",
        "build/sim/libnn.a",
        "build/sim/libnnref.a",
        "build/cuda/libbase.a",
        "build/cuda/liblab.a",
        "build/cuda/libjudge.a",
        "build/cuda/libnn.a",
        "build/cuda/libnnref.a",
        "build/simgpu/lib/libcudart.so",
        "build/simgpu/lib/libcublas.so",
        "build/simgpu/lib/libnccl.so",
    };
    unsigned char hash[16];
    crypto_generichash_state s;
    crypto_generichash_init(&s, NULL, 0, sizeof hash);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        add_file(&s, kit, parts[i]);
    crypto_generichash_final(&s, hash, sizeof hash);
    sodium_bin2hex(hex, 33, hash, sizeof hash);
}

void grading_plan_digest(const char *kit, const char *lab, char hex[33])
{
    static const char *const parts[] = {"", "hidden/", "times/"};
    unsigned char hash[16];
    crypto_generichash_state s;
    crypto_generichash_init(&s, NULL, 0, sizeof hash);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char name[128];
        snprintf(name, sizeof name, "grader/plans/%s%s.yaml", parts[i], lab);
        add_file(&s, kit, name);
    }
    crypto_generichash_final(&s, hash, sizeof hash);
    sodium_bin2hex(hex, 33, hash, sizeof hash);
}

/* The first line of a command's output. */
static void first_line(const char *command, char *out, size_t nbytes)
{
    FILE *const f = popen(command, "re");
    out[0] = 0;
    if (f && fgets(out, (int)nbytes, f))
        out[strcspn(out, "\n")] = 0;
    if (f)
        pclose(f);
}

json_t *grading_versions(const char *kit, const char *lab)
{
    char version[32], digest[33], plan[33], compiler[64], mpi[64];
    struct utsname u;
    version_get(version, sizeof version);
    kit_digest(kit, digest);
    grading_plan_digest(kit, lab, plan);
    first_line("gcc -dumpfullversion", compiler, sizeof compiler);
    first_line("pkg-config --modversion mpich", mpi, sizeof mpi);
    uname(&u);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "version", version,
                     "kit", digest, "plan", plan, "gcc", compiler, "mpich", mpi,
                     "kernel", u.release, "node", u.nodename);
}
