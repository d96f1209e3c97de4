#include "topo/nccl/settings.h"

#include <stdio.h>   /* snprintf */
#include <stdlib.h>  /* strtol */
#include <string.h>  /* strncmp */
#include <strings.h> /* strcasecmp */

#include "topo/nccl/settings_names.h"

/*
 * TCP as NCCL uses it without tuning: the mean of 1.95 and 2.77 GB/s over two
 * channels (NVIDIA/nccl issue 209), and the latency at which a broadcast of 8
 * bytes to one rank takes the 42 us of NVIDIA/nccl-tests issue 82.
 */
static const double SOCKET_GBPS = 2.4, SOCKET_US = 14;

typedef int take(struct machine_nccl *n, const char *value);

/* Each function returns 0, or -1 for a value that NCCL would not accept. */
static int take_number(const char *value, long lo, long hi, int *out)
{
    char *end;
    const long n = strtol(value, &end, 0);
    if (end == value || *end || n < lo || n > hi)
        return -1;
    *out = (int)n;
    return 0;
}

/* LOC is -1, the others are as in enum reach. Old numbers, 0 to
 * 5, are accepted. */
static int take_level(const char *value, int *level)
{
    static const int by_number[] = {-1,        REACH_PIX, REACH_PXB,
                                    REACH_PHB, REACH_PHB, REACH_SYS};
    int number;
    if (take_number(value, 0, 100, &number) == 0) {
        *level = by_number[number > 5 ? 5 : number];
        return 0;
    }
    if (strcasecmp(value, "LOC") == 0) {
        *level = -1;
        return 0;
    }
    for (int i = 0; i < 5; i++)
        if (strcasecmp(value, reach_names[i]) == 0) {
            *level = i;
            return 0;
        }
    return -1;
}

static int p2p_disable(struct machine_nccl *n, const char *value)
{
    return take_number(value, 0, 1, &n->no_p2p);
}

static int p2p_level(struct machine_nccl *n, const char *value)
{
    int level;
    if (take_level(value, &level) != 0)
        return -1;
    if (level < 0)
        n->no_p2p = 1;
    n->p2p = level;
    n->p2p_given = level >= 0;
    return 0;
}

static int shm_disable(struct machine_nccl *n, const char *value)
{
    return take_number(value, 0, 1, &n->no_shm);
}

static int ib_disable(struct machine_nccl *n, const char *value)
{
    return take_number(value, 0, 1, &n->sockets);
}

static int gdr_level(struct machine_nccl *n, const char *value)
{
    if (take_level(value, &n->gdr) != 0)
        return -1;
    n->gdr_given = 1;
    return 0;
}

static int nvls_enable(struct machine_nccl *n, const char *value)
{
    int enable;
    if (take_number(value, 0, 2, &enable) != 0)
        return -1;
    n->no_nvls = enable == 0;
    return 0;
}

/* The stricter of the two limits counts. */
static int most_channels(struct machine_nccl *n, const char *value)
{
    int most;
    if (take_number(value, 1, 64, &most) != 0)
        return -1;
    if (n->most_channels == 0 || most < n->most_channels)
        n->most_channels = most;
    return 0;
}

static int least_channels(struct machine_nccl *n, const char *value)
{
    int least;
    if (take_number(value, 1, 64, &least) != 0)
        return -1;
    if (least > n->least_channels)
        n->least_channels = least;
    return 0;
}

/* A NULL take means that the variable is read elsewhere, or has no effect
 * worth mentioning. */
static const struct setting {
    const char *name;
    take *take;
    const char *values;
} settings[] = {
    {"P2P_DISABLE", p2p_disable, "0 or 1"},
    {"P2P_LEVEL", p2p_level, "LOC, NVL, PIX, PXB, PHB or SYS"},
    {"SHM_DISABLE", shm_disable, "0 or 1"},
    {"IB_DISABLE", ib_disable, "0 or 1"},
    {"NET_GDR_LEVEL", gdr_level, "LOC, PIX, PXB, PHB or SYS"},
    {"NVLS_ENABLE", nvls_enable, "0, 1 or 2"},
    {"MAX_NCHANNELS", most_channels, "1 to 64"},
    {"MAX_CTAS", most_channels, "1 to 64"},
    {"MIN_NCHANNELS", least_channels, "1 to 64"},
    {"MIN_CTAS", least_channels, "1 to 64"},
    {"ALGO", NULL, NULL},
    {"PROTO", NULL, NULL},
    {"DEBUG", NULL, NULL},
    {"DEBUG_SUBSYS", NULL, NULL},
    {"DEBUG_FILE", NULL, NULL},
    {"CHECK_POINTERS", NULL, NULL},
    {"COMM_BLOCKING", NULL, NULL},
    {"PROFILER_PLUGIN", NULL, NULL},
    {"RUNTIME_CONNECT", NULL, NULL},
    // used by builds and containers, not by NCCL
    {"HOME", NULL, NULL},
    {"ROOT", NULL, NULL},
    {"ROOT_DIR", NULL, NULL},
    {"DIR", NULL, NULL},
    {"PATH", NULL, NULL},
    {"LIB", NULL, NULL},
    {"LIBRARY", NULL, NULL},
    {"LIB_DIR", NULL, NULL},
    {"INCLUDE", NULL, NULL},
    {"INCLUDE_DIR", NULL, NULL},
    {"VERSION", NULL, NULL},
};
enum { NSETTINGS = sizeof settings / sizeof *settings };

static const struct setting *find_setting(const char *name, size_t length)
{
    for (int i = 0; i < NSETTINGS; i++)
        if (strlen(settings[i].name) == length &&
            strncmp(settings[i].name, name, length) == 0)
            return &settings[i];
    return NULL;
}

/* Why a variable of NCCL has no effect in this model. */
static const char *why_not(const char *name)
{
    static const struct {
        const char *name, *why;
    } reasons[] = {
        {"TOPO_FILE",
         "the modelled machine is SIMGPU_TOPO's: give it the file"},
        {"BUFFSIZE", "times are those of NCCL's default, 4 MiB"},
        {"LL_BUFFSIZE", "times are those of NCCL's default"},
        {"LL128_BUFFSIZE", "times are those of NCCL's default"},
        {"NTHREADS", "times are those of NCCL's default, 512"},
        {"CROSS_NIC", "a modelled GPU uses the NIC closest to it"},
        {"SOCKET_IFNAME", "modelled nodes have no interfaces to choose from"},
        {"IB_HCA", "a modelled GPU uses the NIC closest to it"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(reasons[i].name, name) == 0)
            return reasons[i].why;
    return "modelled times are those without it";
}

/* True for a variable of a profiler plugin: NCCL's own example and
 * inspector. */
static int is_plugins(const char *name)
{
    return strncmp(name, "PROFILE_", 8) == 0 ||
           strncmp(name, "INSPECTOR_", 10) == 0 ||
           strcmp(name, "PROFILER_DUMP_FILE") == 0;
}

static int is_nccls(const char *name)
{
    for (int i = 0; i < settings_nnames; i++)
        if (strcmp(settings_names[i], name) == 0)
            return 1;
    return 0;
}

/* Comment on a variable without a setting: one of NCCL's, or perhaps
 * misspelt. */
static void remark_on(const char *name, topo_remark *say, void *user)
{
    char text[300];
    const char *const like = is_nccls(name) ? NULL : settings_like(name);
    if (is_nccls(name))
        snprintf(text, sizeof text, "NCCL_%.60s is not modelled: %s", name,
                 why_not(name));
    else
        snprintf(text, sizeof text,
                 "NCCL_%.60s is not a variable that this NCCL knows%s%s%s",
                 name, like ? ": did you mean NCCL_" : "", like ? like : "",
                 like ? "?" : "");
    say(user, text);
}

/* Apply one variable, given as the text after NCCL_. */
static void take_one(struct machine_nccl *n, const char *variable,
                     topo_remark *say, void *user)
{
    const size_t length = strcspn(variable, "=");
    const char *const value = variable + length + 1;
    const struct setting *const s = find_setting(variable, length);
    char name[64], text[300];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60),
             variable);
    if (!s && say && !is_plugins(name)) {
        remark_on(name, say, user);
    } else if (s && s->take && s->take(n, value) != 0 && say) {
        snprintf(text, sizeof text,
                 "NCCL_%s=%.60s has no effect: it must be %s", name, value,
                 s->values);
        say(user, text);
    }
}

void topo_settings(struct topo *t, char *const *env, topo_remark *say,
                   void *user)
{
    struct machine_nccl n = {0};
    for (; env && *env; env++) {
        const char *const equals = strchr(*env, '=');
        if (strncmp(*env, "NCCL_", 5) == 0 && equals && equals[1])
            take_one(&n, *env + 5, say, user);
    }
    if (!t)
        return;
    struct calibration_links *const l = &t->cal.links;
    n.other_paths = n.no_p2p || n.no_shm || n.no_nvls || n.sockets ||
                    n.gdr_given || (n.p2p_given && n.p2p != l->nccl_p2p);
    n.socket_GBps = SOCKET_GBPS;
    if (n.p2p_given)
        l->nccl_p2p = n.p2p;
    if (n.sockets && l->net_us < SOCKET_US)
        l->net_us = SOCKET_US;
    t->nccl = n;
}

/* ---- queries of the model ------------------------------------------------ */

double settings_socket(const struct topo *t)
{
    const double profile = t->cal.fabric.socket_GBps;
    return profile > 0 ? profile : t->nccl.sockets ? t->nccl.socket_GBps : 0;
}

int settings_no_gdr(const struct topo *t, enum reach reach)
{
    const int limit = t->nccl.gdr_given ? t->nccl.gdr : REACH_PXB;
    return settings_socket(t) > 0 || (int)reach > limit;
}

double settings_channel_share(const struct topo *t, int channels)
{
    const int most = t->nccl.most_channels;
    return most > 0 && most < channels ? (double)most / channels : 1;
}

int settings_channels(const struct topo *t, int channels)
{
    if (channels > 0 && channels < t->nccl.least_channels)
        channels = t->nccl.least_channels;
    if (t->nccl.most_channels > 0 && channels > t->nccl.most_channels)
        channels = t->nccl.most_channels;
    return channels;
}
