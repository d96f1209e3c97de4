/*
 * disk.c: the files of checkpoints, in host memory. Given: nothing to edit
 * here.
 */
#include "disk.h"

#include <math.h>   /* NAN */
#include <stdlib.h> /* realloc */
#include <string.h> /* memcpy */

#include "base/must.h"

void disk_clear(struct disk *d)
{
    for (int f = 0; f < DISK_FILES; f++)
        free(d->file[f]);
    memset(d, 0, sizeof *d);
}

static void must(int is_right, const char *what)
{
    if (!is_right)
        must_stop(__FILE__, __LINE__, what, "no such file, or no memory");
}

void checkpoint_write(struct checkpoint *c, int file, size_t at,
                      const float *data, size_t count)
{
    struct disk *const d = c->disk;
    must(file >= 0 && file < DISK_FILES && at + count < DISK_FLOATS,
         "checkpoint_write");
    if (at + count > d->count[file]) {
        float *const grown =
            realloc(d->file[file], (at + count) * sizeof *grown);
        must(grown != NULL, "checkpoint_write");
        memset(grown + d->count[file], 0,
               (at + count - d->count[file]) * sizeof *grown);
        d->file[file] = grown;
        d->count[file] = at + count;
    }
    if (count)
        memcpy(d->file[file] + at, data, count * sizeof *data);
    d->nwritten += count;
}

void checkpoint_read(const struct checkpoint *c, int file, size_t at,
                     float *data, size_t count)
{
    struct disk *const d = c->disk;
    must(file >= 0 && file < DISK_FILES, "checkpoint_read");
    for (size_t i = 0; i < count; i++) // beyond its end there is no data
        data[i] = at + i < d->count[file] ? d->file[file][at + i] : NAN;
    d->nread += count;
}

void disk_share(struct checkpoint *c, int nranks, MPI_Comm comm)
{
    struct disk *const d = c->disk;
    int rank;
    MPI_MUST(MPI_Comm_rank(comm, &rank));
    for (int f = 0; f < nranks; f++) {
        unsigned long long count = d->count[f];
        MPI_MUST(MPI_Bcast(&count, 1, MPI_UNSIGNED_LONG_LONG, f, comm));
        if (rank != f) {
            d->file[f] = realloc(d->file[f], (count + 1) * sizeof(float));
            must(d->file[f] != NULL, "disk_share");
            d->count[f] = count;
        }
        MPI_MUST(MPI_Bcast(d->file[f], (int)count, MPI_FLOAT, f, comm));
    }
}
