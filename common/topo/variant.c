#define _GNU_SOURCE
#include "topo/variant.h"

#include <ctype.h>  /* isalnum */
#include <pwd.h>    /* getpwuid */
#include <stdio.h>  /* snprintf */
#include <stdlib.h> /* getenv */
#include <string.h> /* strchr */
#include <unistd.h> /* geteuid */

#include "base/mix.h"

/* A degraded cable keeps MIN to MIN + SPREAD of its rate: low enough to be
 * noticed, and never the rate of a bundle with fewer links. */
static const double SICK_MIN = .60, SICK_SPREAD = .25;

/* A slow NIC keeps one of an InfiniBand port's four lanes. */
static const double SLOW_NIC = .25;

/* ---- names --------------------------------------------------------------- */

/* Strip "4x:". Returns the number of nodes; 0 if none is given. */
static int take_nodes(const char **text)
{
    const char *at = *text;
    int nodes = 0;
    while (isdigit((unsigned char)*at) && nodes < 100000)
        nodes = nodes * 10 + (*at++ - '0');
    if (nodes == 0 || at[0] != 'x' || at[1] != ':')
        return 0;
    *text = at + 2;
    return nodes;
}

static int is_seed(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && !strchr("._@-", word[i]))
            return 0;
    return length > 0 && length < VARIANT_WORD;
}

const char *topo_me(char out[TOPO_ME])
{
    const char *const set = getenv("COMMLAB_STUDENT");
    const struct passwd *const user = getpwuid(geteuid());
    const char *const name = set && *set ? set : user ? user->pw_name : "me";
    snprintf(out, TOPO_ME, "%s", name);
    for (char *c = out; *c; c++)
        if (!is_seed(c, 1))
            *c = '-';
    return out;
}

/* Strip "WORD:SEED:". Returns 1, 0 if the text doesn't start with WORD, or -1
 * for a bad seed. */
static int take_seed(const char **text, const char *word,
                     char seed[VARIANT_WORD], char *err, size_t err_nbytes)
{
    const size_t skip = strlen(word);
    if (strncmp(*text, word, skip) != 0 || (*text)[skip] != ':')
        return 0;
    const char *const begin = *text + skip + 1;
    const size_t length = strcspn(begin, ":");
    if (!begin[length] || !is_seed(begin, length)) {
        snprintf(err, err_nbytes,
                 "%.200s: use %s:SEED:MACHINE, where SEED consists of letters, "
                 "digits and ._@- (shorter than %d)",
                 *text, word, VARIANT_WORD);
        return -1;
    }
    memcpy(seed, begin, length);
    seed[length] = 0;
    if (strcmp(seed, "me") == 0)
        topo_me(seed);
    *text = begin + length + 1;
    return 1;
}

static const char one_thread[] = "one-thread";

static int take_number(const char *digits, size_t length, int *out)
{
    *out = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)digits[i]) || length > 4)
            return -1;
        *out = *out * 10 + (digits[i] - '0');
    }
    return 0;
}

static int is_xml(const char *text, size_t length)
{
    return length > 4 && memcmp(text + length - 4, ".xml", 4) == 0;
}

/* A network's name, or the path of its file. */
static int is_net(const char *item, size_t length, size_t most)
{
    return is_seed(item, length) || (is_xml(item, length) && length < most);
}

/* Read one item of "@NETWORK,fat-tree:2". Returns 0, or -1 if it is unknown. */
static int take_item(struct variant *v, const char *item, size_t length)
{
    const char *const colon = memchr(item, ':', length);
    const char *const value = colon ? colon + 1 : item;
    const size_t left = length - (size_t)(value - item);
    char word[VARIANT_WORD], *end;
    if (length == strlen(one_thread) && memcmp(item, one_thread, length) == 0) {
        v->one_thread = 1;
        return 0;
    }
    if ((!colon || is_xml(item, length)) && !*v->net &&
        is_net(item, length, sizeof v->net)) {
        snprintf(v->net, sizeof v->net, "%.*s", (int)length, item);
        return 0;
    }
    if (!colon || !is_seed(value, left))
        return -1;
    if (strncmp(item, "seed:", 5) == 0) {
        snprintf(v->seed, sizeof v->seed, "%.*s", (int)left, value);
        return 0;
    }
    if (strncmp(item, "no-nic:", 7) == 0)
        return take_number(value, left, &v->no_nic);
    if (strncmp(item, "slow-nic:", 9) == 0)
        return take_number(value, left, &v->slow_nic);
    snprintf(word, sizeof word, "%.*s", (int)left, value);
    const double number = strtod(word, &end);
    if (*end || !(number > 0 && number <= 1e6))
        return -1;
    if (strncmp(item, "floor:", 6) == 0) {
        v->floor_us = number;
        return 0;
    }
    snprintf(word, sizeof word, "%.*s", (int)(colon - item), item);
    v->fabric = calibration_fabric_kind(word);
    v->over = number;
    return v->fabric > CALIBRATION_CROSSBAR && number >= 1 ? 0 : -1;
}

/*
 * The '@' before a machine's network: the last one of its file's name. A
 * network that is given by a path has folders behind the '@', as a machine in a
 * folder "a@b" has. Then the text before it must be a machine: a name without
 * folders, or a file.
 */
static const char *find_suffix(const char *text)
{
    for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@')) {
        const size_t length = (size_t)(at - text);
        const int machine = !memchr(text, '/', length) || is_xml(text, length);
        if (machine && strchr(at, '/') && access(text, R_OK) != 0)
            return at;
    }
    const char *const slash = strrchr(text, '/');
    return strrchr(slash ? slash : text, '@');
}

/* Read the name, and what follows find_suffix(). */
static int take_suffix(struct variant *v, const char *text, char *err,
                       size_t err_nbytes)
{
    const char *const at = find_suffix(text);
    const size_t length = at ? (size_t)(at - text) : strlen(text);
    snprintf(v->name, sizeof v->name, "%.*s", (int)length, text);
    v->suffix = at ? at : "";
    v->fabric = v->no_nic = v->slow_nic = -1;
    for (const char *item = at ? at + 1 : ""; *item;) {
        const size_t n = strcspn(item, ",");
        if (take_item(v, item, n) != 0) {
            snprintf(err, err_nbytes,
                     "%.200s: use MACHINE@NETWORK,OPTION with the options "
                     "fat-tree:R, rail:R (an oversubscription from 1), "
                     "seed:SEED, floor:MICROSECONDS, one-thread, no-nic:NUMBER "
                     "and slow-nic:NUMBER; \"%.*s\" is none",
                     text, (int)(n < 60 ? n : 60), item);
            return -1;
        }
        item += n + (item[n] == ',');
    }
    return 0;
}

int variant_parse(const char *text, struct variant *v, char *err,
                  size_t err_nbytes)
{
    *v = (struct variant){.nodes = take_nodes(&text)};
    if (take_seed(&text, "sick", v->sick, err, err_nbytes) < 0 ||
        take_seed(&text, "shuffled", v->shuffled, err, err_nbytes) < 0)
        return -1;
    return take_suffix(v, text, err, err_nbytes);
}

void variant_name(const struct variant *v, char *out, size_t nbytes)
{
    char nodes[16] = "";
    if (v->nodes)
        snprintf(nodes, sizeof nodes, "%dx:", v->nodes);
    snprintf(out, nbytes, "%s%s%s%s%s%s%s%s%s", nodes, *v->sick ? "sick:" : "",
             v->sick, *v->sick ? ":" : "", *v->shuffled ? "shuffled:" : "",
             v->shuffled, *v->shuffled ? ":" : "", v->name, v->suffix);
}

/* ---- numbers from a seed ------------------------------------------------- */

static uint64_t hash_of(const char *seed, uint64_t purpose)
{
    uint64_t hash = mix_hash(purpose);
    for (; *seed; seed++)
        hash = mix_hash(hash ^ (unsigned char)*seed);
    return hash;
}

/* The next number below n, which must be small. */
static int draw(uint64_t *state, int n)
{
    *state = mix_hash(*state);
    return (int)(*state % (uint64_t)n);
}

/* ---- shuffled ------------------------------------------------------------ */

/* Choose order[i], the GPU of the file that becomes number i
 * (Fisher and Yates). */
static void shuffle(uint64_t hash, int *order, int n)
{
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        const int k = draw(&hash, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Reassign the GPUs' bus ids in ascending order. */
static void sort_bus_ids(struct topo *t)
{
    char id[MACHINE_GPUS][sizeof t->gpu[0].bus_id];
    for (int i = 0; i < t->ngpus; i++)
        memcpy(id[i], t->gpu[i].bus_id, sizeof id[i]);
    qsort(id, (size_t)t->ngpus, sizeof id[0], by_text);
    for (int i = 0; i < t->ngpus; i++) {
        memcpy(t->gpu[i].bus_id, id[i], sizeof id[i]);
        memcpy(t->pci[t->gpu[i].pci].bus_id, id[i], sizeof id[i]);
    }
}

void variant_shuffle(const struct variant *v, struct topo *t)
{
    struct machine_gpu gpu[MACHINE_GPUS];
    unsigned char nvlinks[MACHINE_GPUS][MACHINE_GPUS];
    int order[MACHINE_GPUS];
    for (int i = 0; i < t->ngpus; i++)
        t->number[i] = i;
    if (!*v->shuffled)
        return;
    shuffle(hash_of(v->shuffled, 1), order, t->ngpus);
    memcpy(gpu, t->gpu, sizeof gpu[0] * (size_t)t->ngpus);
    for (int i = 0; i < t->ngpus; i++)
        memcpy(nvlinks[i], t->nvlinks[i], (size_t)t->ngpus);
    for (int i = 0; i < t->ngpus; i++) {
        t->gpu[i] = gpu[order[i]];
        t->gpu[i].dev = i;
        t->number[order[i]] = i;
        t->pci[t->gpu[i].pci].leaf_gpu = i;
        for (int k = 0; k < t->ngpus; k++)
            t->nvlinks[i][k] = nvlinks[order[i]][order[k]];
    }
    sort_bus_ids(t);
}

/* ---- sick ---------------------------------------------------------------- */

/* Write the resources of both directions of cable `which` to way[]. If `which`
 * is negative, return the number of cables. */
static int cable(const struct topo *t, int which, int way[2])
{
    int n = 0;
    for (int a = 0; a < t->ngpus; a++)
        for (int b = 0; b < a; b++)
            if (t->nvlinks[a][b] && n++ == which) {
                way[0] = t->bundle[a][b];
                way[1] = t->bundle[b][a];
            }
    for (int i = 0; i < t->ngpus; i++)
        if (t->gpu[i].switch_links && n++ == which) {
            way[0] = t->gpu[i].up;
            way[1] = t->gpu[i].down;
        }
    const int only_pcie = n == 0;
    for (int i = 0; only_pcie && i < t->ngpus; i++)
        if (n++ == which) {
            way[0] = t->pci[t->gpu[i].pci].up;
            way[1] = t->pci[t->gpu[i].pci].down;
        }
    return n;
}

static void sick_cable(const struct variant *v, struct topo *t)
{
    uint64_t hash = hash_of(v->sick, 2);
    const int ncables = cable(t, -1, t->sick);
    cable(t, draw(&hash, ncables), t->sick);
    t->sick_left = SICK_MIN + SICK_SPREAD * draw(&hash, 1001) / 1000;
}

void variant_sicken(const struct variant *v, struct topo *t)
{
    t->sick_left = 1;
    if (*v->sick) {
        sick_cable(v, t);
    } else if (v->slow_nic >= 0) {
        t->sick[0] = t->nic[v->slow_nic].out;
        t->sick[1] = t->nic[v->slow_nic].in;
        t->sick_left = SLOW_NIC;
    } else {
        return;
    }
    for (int i = 0; i < 2; i++) // in the first node
        t->resource[t->sick[i]].rate *= t->sick_left;
}

/* ---- networks ------------------------------------------------------------ */

static int check_nic(const struct topo *t, int nic, char *err,
                     size_t err_nbytes)
{
    if (nic < t->nnics)
        return 0;
    snprintf(err, err_nbytes,
             "%.200s: its nodes have no NIC %d, but %d (commgraph topo lists "
             "them)",
             t->name, nic, t->nnics);
    return -1;
}

/* Give each host of a node one NIC, at its first CPU, in place of those that
 * its file lists. */
static void replace_nics(struct topo *t, double Gbps)
{
    t->nnics = 0;
    for (int cpu = 0; cpu < t->ncpus; cpu++)
        if (cpu == 0 || !machine_same_host(t, cpu - 1, cpu))
            t->nic[t->nnics++] = (struct machine_nic){
                .name = "eth0", .cpu = cpu, .pci = -1, .mbps = Gbps * 1000};
}

int variant_connect(const struct variant *v, struct topo *t, char *err,
                    size_t err_nbytes)
{
    struct calibration_fabric *const f = &t->cal.fabric;
    if (v->fabric >= 0) {
        f->kind = v->fabric;
        f->over = v->over;
    }
    if (v->floor_us > 0)
        t->cal.host.floor_us = v->floor_us;
    t->one_thread = v->one_thread;
    if (f->host_Gbps > 0)
        replace_nics(t, f->host_Gbps);
    for (int i = 0; i < t->nnics && f->gpu_Gbps > 0; i++)
        t->nic[i].mbps = f->gpu_Gbps * 1000 * t->ngpus / t->nnics;
    t->fabric.seed = hash_of(v->seed, 3);
    if (v->slow_nic >= 0 && (*v->sick || v->no_nic >= 0)) {
        snprintf(err, err_nbytes,
                 "%.200s: slow-nic goes neither with sick nor with no-nic",
                 t->name);
        return -1;
    }
    if (check_nic(t, v->slow_nic, err, err_nbytes) != 0 ||
        check_nic(t, v->no_nic, err, err_nbytes) != 0)
        return -1;
    t->no_nic = v->no_nic >= 0;
    if (t->no_nic)
        memmove(&t->nic[v->no_nic], &t->nic[v->no_nic + 1],
                (size_t)(--t->nnics - v->no_nic) * sizeof t->nic[0]);
    return 0;
}
