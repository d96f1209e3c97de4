#include "mpi/letter.h"

#include <stdio.h>  /* snprintf */
#include <string.h> /* memcpy */

#include "core/control.h"
#include "core/peer.h"
#include "core/site.h"
#include "core/watch/check.h"

#pragma weak PMPI_Type_get_name
#pragma weak PMPI_Type_size

enum kind { ANY, INTEGER, FLOATING };

static enum kind kind_of(MPI_Datatype type)
{
    static const struct {
        MPI_Datatype type;
        enum kind kind;
    } kinds[] = {
        {MPI_SHORT, INTEGER},        {MPI_UNSIGNED_SHORT, INTEGER},
        {MPI_INT, INTEGER},          {MPI_UNSIGNED, INTEGER},
        {MPI_LONG, INTEGER},         {MPI_UNSIGNED_LONG, INTEGER},
        {MPI_LONG_LONG, INTEGER},    {MPI_UNSIGNED_LONG_LONG, INTEGER},
        {MPI_INT16_T, INTEGER},      {MPI_INT32_T, INTEGER},
        {MPI_INT64_T, INTEGER},      {MPI_UINT16_T, INTEGER},
        {MPI_UINT32_T, INTEGER},     {MPI_UINT64_T, INTEGER},
        {MPI_FLOAT, FLOATING},       {MPI_DOUBLE, FLOATING},
        {MPI_LONG_DOUBLE, FLOATING},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return ANY;
}

static int differ(MPI_Datatype a, MPI_Datatype b)
{
    const enum kind x = kind_of(a), y = kind_of(b);
    int m = 0, n = 0;
    return x != ANY && y != ANY &&
           (x != y || (PMPI_Type_size(a, &m) == MPI_SUCCESS &&
                       PMPI_Type_size(b, &n) == MPI_SUCCESS && m != n));
}

void letter_sent(const struct mpi_call *c, uint64_t key)
{
    struct control_letter *const l =
        &control_own()->letter[key % CONTROL_LETTERS];
    if (!key || kind_of(c->type) == ANY)
        return;
    atomic_store(&l->key, 0);
    l->type = (int32_t)c->type;
    snprintf(l->name, sizeof l->name, "%s", c->name);
    simgpu_site_locate(c->site, &l->site);
    atomic_store(&l->key, key);
}

/* The note on message `key`. Returns false if it isn't there, or any more. */
static int find(uint64_t key, struct control_letter *out)
{
    for (struct peer *p = peer_first(); p; p = p->next) {
        const struct control_letter *const l =
            &p->control->letter[key % CONTROL_LETTERS];
        if (atomic_load(&l->key) != key)
            continue;
        *out = *l;
        return atomic_load(&l->key) == key; // not overwritten meanwhile
    }
    return 0;
}

static const char *type_name(MPI_Datatype type, char out[MPI_MAX_OBJECT_NAME])
{
    int length;
    return PMPI_Type_get_name(type, out, &length) == MPI_SUCCESS
               ? out
               : "another type";
}

void letter_received(const struct mpi_call *c, uint64_t key)
{
    static struct check_sites warned = {.lock = PTHREAD_MUTEX_INITIALIZER};
    char sent[MPI_MAX_OBJECT_NAME], received[MPI_MAX_OBJECT_NAME];
    char from[256], at[256];
    const uint32_t site = c->begun ? c->begun : c->site;
    struct control_letter l;
    if (!key || kind_of(c->type) == ANY || !find(key, &l) ||
        !differ((MPI_Datatype)l.type, c->type) || !check_is_new(&warned, site))
        return;
    simgpu_check_warn(
        site,
        "types differ: %s at %s receives as %s what %s at %s has sent as %s: "
        "MPI doesn't convert, so both ends have to name one type",
        c->begun ? "MPI_Irecv" : c->name, simgpu_site_text(site, at, sizeof at),
        type_name(c->type, received), l.name,
        simgpu_site_location_text(&l.site, from, sizeof from),
        type_name((MPI_Datatype)l.type, sent));
}
