/*
 * team.c: teams, each with an MPI communicator of its PEs
 */
#include <stdlib.h> /* calloc */
#include <string.h> /* memcmp */

#include "core/proc.h"
#include "core/report.h"
#include "extras/nvshmem/collective.h"
#include "extras/nvshmem/world.h"

/* ---- creating ------------------------------------------------------------ */

/* Fill in a team for a communicator, which then belongs to the team. */
static void make(struct team *t, MPI_Comm comm)
{
    const struct team *const all = &world()->team[NVSHMEM_TEAM_WORLD];
    *t = (struct team){.comm = comm};
    MPI_Comm_size(comm, &t->n);
    MPI_Comm_rank(comm, &t->me);
    t->pe = calloc((size_t)t->n, sizeof *t->pe);
    if (!t->pe)
        simgpu_report_fault(NULL, "out of host memory for a team");
    const int me = t == all ? t->me : all->me;
    MPI_Allgather(&me, 1, MPI_INT, t->pe, 1, MPI_INT, comm);
}

static void split(struct team *t, MPI_Comm comm, int color, int key)
{
    MPI_Comm made;
    MPI_Comm_split(comm, color, key, &made);
    make(t, made);
}

void team_begin(MPI_Comm comm)
{
    struct team *const t = world()->team;
    make(&t[NVSHMEM_TEAM_WORLD], comm);
    const int me = t->me, node = simgpu_proc()->node;
    split(&t[NVSHMEMX_TEAM_NODE], comm, node, me);
    split(&t[NVSHMEM_TEAM_SHARED], comm, node, me);
    split(&t[NVSHMEM_TEAM_MC_SHARED], comm, node, me);
    split(&t[NVSHMEMX_TEAM_SAME_MYPE_NODE], comm, t[NVSHMEMX_TEAM_NODE].me, me);
}

void team_add_words(const struct shmem_request *r, struct team *t)
{
    void *mine;
    const size_t nbytes = coll_words_nbytes(t->n);
    const cudaStream_t stream = world()->stream;
    MUST(r, cudaMalloc(&mine, nbytes));
    MUST(r, cudaMemsetAsync(mine, 0, nbytes, stream));
    MUST(r, cudaStreamSynchronize(stream));
    t->words = heap_exchange(r, t, mine);
}

static void discard(struct team *t)
{
    if (t->words) {
        void *const mine = t->words[t->me];
        heap_forget(t, t->words);
        MPI_Barrier(t->comm); // no PE may free what another has mapped
        cudaFree(mine);
    }
    MPI_Comm_free(&t->comm);
    free(t->pe);
    *t = (struct team){0};
}

void team_end(void)
{
    for (int i = MAX_TEAMS; i-- > 0;)
        if (world()->team[i].n)
            discard(&world()->team[i]);
}

/* ---- querying ------------------------------------------------------------ */

/* The team with this number, or NULL if there is none. */
static struct team *find(const struct shmem_request *r, nvshmem_team_t team)
{
    struct world *const w = world_for(r);
    return team >= 0 && team < MAX_TEAMS && w->team[team].n ? &w->team[team]
                                                            : NULL;
}

struct team *team_for(const struct shmem_request *r, nvshmem_team_t team)
{
    struct team *const t = find(r, team);
    if (!t)
        request_fault(r,
                      team == NVSHMEM_TEAM_INVALID
                          ? "team %d is NVSHMEM_TEAM_INVALID: this PE is not "
                            "in it"
                          : "team %d: there is none, or it was destroyed",
                      team);
    return t;
}

int nvshmem_team_my_pe(nvshmem_team_t team)
{
    const struct shmem_request r = CALLED("nvshmem_team_my_pe");
    const struct team *const t = find(&r, team);
    return t ? t->me : -1;
}

int nvshmem_team_n_pes(nvshmem_team_t team)
{
    const struct shmem_request r = CALLED("nvshmem_team_n_pes");
    const struct team *const t = find(&r, team);
    return t ? t->n : -1;
}

int nvshmem_team_translate_pe(nvshmem_team_t src_team, int src_pe,
                              nvshmem_team_t dest_team)
{
    const struct shmem_request r = CALLED("nvshmem_team_translate_pe");
    const struct team *const from = find(&r, src_team);
    const struct team *const to = find(&r, dest_team);
    if (!from || !to || src_pe < 0 || src_pe >= from->n)
        return -1;
    for (int i = 0; i < to->n; i++)
        if (to->pe[i] == from->pe[src_pe])
            return i;
    return -1;
}

void nvshmem_team_get_config(nvshmem_team_t team, nvshmem_team_config_t *config)
{
    const struct shmem_request r = CALLED("nvshmem_team_get_config");
    *config = team_for(&r, team)->config;
}

/* ---- splitting ----------------------------------------------------------- */

/* Check that the parent's PEs pass the same arguments. */
static void check_same(const struct shmem_request *r, const struct team *parent,
                       const int mine[3])
{
    int *const all = calloc((size_t)parent->n, 3 * sizeof *all);
    if (!all)
        simgpu_report_fault(NULL, "out of host memory for %s", r->call);
    FOR(r, MPI_Allgather(mine, 3, MPI_INT, all, 3, MPI_INT, parent->comm));
    for (int i = 0; i < parent->n; i++)
        if (memcmp(&all[3 * i], mine, 3 * sizeof *mine) != 0)
            request_fault(r,
                          "PE %d of the parent team asks for (%d, %d, %d), but "
                          "PE %d for (%d, %d, %d): all have to ask for the "
                          "same team",
                          parent->me, mine[0], mine[1], mine[2], i, all[3 * i],
                          all[3 * i + 1], all[3 * i + 2]);
    free(all);
}

/* Create a team of the PEs with this color. A PE with a
 * negative color is not in it. */
static nvshmem_team_t split_off(const struct shmem_request *r, MPI_Comm parent,
                                int color, int key,
                                const nvshmem_team_config_t *config)
{
    struct world *const w = world();
    MPI_Comm made;
    FOR(r,
        MPI_Comm_split(parent, color < 0 ? MPI_UNDEFINED : color, key, &made));
    if (color < 0)
        return NVSHMEM_TEAM_INVALID;
    int i = NVSHMEM_TEAMS_MIN;
    while (i < MAX_TEAMS && w->team[i].n)
        i++;
    if (i == MAX_TEAMS)
        request_fault(r, "more than %d teams", MAX_TEAMS);
    make(&w->team[i], made);
    if (config)
        w->team[i].config = *config;
    team_add_words(r, &w->team[i]);
    return i;
}

int nvshmem_team_split_strided(nvshmem_team_t parent_team, int PE_start,
                               int PE_stride, int PE_size,
                               const nvshmem_team_config_t *config,
                               long config_mask, nvshmem_team_t *new_team)
{
    const struct shmem_request r = CALLED("nvshmem_team_split_strided");
    const struct team *const t = find(&r, parent_team);
    (void)config_mask;
    *new_team = NVSHMEM_TEAM_INVALID;
    if (!t)
        return -1;
    world_bind(&r);
    check_same(&r, t, (const int[3]){PE_start, PE_stride, PE_size});
    const int last = PE_start + (PE_size - 1) * PE_stride;
    if (PE_start < 0 || PE_start >= t->n || PE_size < 1 || last < 0 ||
        last >= t->n || (PE_stride == 0 && PE_size > 1))
        return -1;
    int index = -1;
    for (int i = 0; i < PE_size; i++)
        if (PE_start + i * PE_stride == t->me)
            index = i;
    *new_team = split_off(&r, t->comm, index < 0 ? -1 : 0, index, config);
    return 0;
}

int nvshmem_team_split_2d(nvshmem_team_t parent_team, int xrange,
                          const nvshmem_team_config_t *xaxis_config,
                          long xaxis_mask, nvshmem_team_t *xaxis_team,
                          const nvshmem_team_config_t *yaxis_config,
                          long yaxis_mask, nvshmem_team_t *yaxis_team)
{
    const struct shmem_request r = CALLED("nvshmem_team_split_2d");
    const struct team *const t = find(&r, parent_team);
    (void)xaxis_mask, (void)yaxis_mask;
    *xaxis_team = *yaxis_team = NVSHMEM_TEAM_INVALID;
    if (!t)
        return -1;
    world_bind(&r);
    check_same(&r, t, (const int[3]){xrange, 0, 0});
    if (xrange < 1)
        return -1;
    *xaxis_team =
        split_off(&r, t->comm, t->me / xrange, t->me % xrange, xaxis_config);
    *yaxis_team =
        split_off(&r, t->comm, t->me % xrange, t->me / xrange, yaxis_config);
    return 0;
}

void nvshmem_team_destroy(nvshmem_team_t team)
{
    const struct shmem_request r = CALLED("nvshmem_team_destroy");
    if (team == NVSHMEM_TEAM_INVALID)
        return;
    struct team *const t = team_for(&r, team);
    if (team < NVSHMEM_TEAMS_MIN)
        request_fault(&r, "team %d is predefined", team);
    FOR(&r, MPI_Barrier(t->comm));
    heap_end_team(team);
    discard(t);
}
