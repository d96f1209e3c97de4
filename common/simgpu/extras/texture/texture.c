/*
 * texture.c: how kernels read textures, and where the bytes of surfaces are
 *
 * The rules are those of "Texture Fetching" in the CUDA programming guide. A
 * coordinate becomes a position among N texels, and the address mode maps the
 * position into [0, N) or to the border. Linear filtering weighs the texels on
 * both sides of x - 0.5 in each dimension, with weights rounded to 8 bits of
 * fraction.
 */
#include "extras/texture/texture.h"

#include <math.h>    /* floorf, rintf */
#include <pthread.h> /* pthread_mutex_lock */
#include <stdlib.h>  /* calloc */
#include <string.h>  /* memcpy */

#include "base/narrow.h"
#include "core/proc.h"
#include "core/report.h"
#include "core/site.h"
#include "device/access.h"
#include "simgpu/texture_calls.h"

enum { MAX_OBJECTS = 1 << 16, BORDER = -1 };

/* ---- objects ------------------------------------------------------------- */

static struct slot {
    struct texture *texture; /* NULL: never used */
    int alive;
} slots[MAX_OBJECTS];
static size_t latest; /* objects are numbered in order, from 1 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

unsigned long long texture_add(const struct texture *t)
{
    unsigned long long object = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 1; i < MAX_OBJECTS && !object; i++) {
        const size_t at = (latest + i) % MAX_OBJECTS;
        struct slot *const s = &slots[at];
        if (at == 0 || s->alive)
            continue;
        if (!s->texture && !(s->texture = calloc(1, sizeof *s->texture)))
            break;
        *s->texture = *t;
        __atomic_store_n(&s->alive, 1, __ATOMIC_RELEASE);
        object = latest = at;
    }
    pthread_mutex_unlock(&lock);
    return object;
}

const struct texture *texture_of(unsigned long long object)
{
    return object < MAX_OBJECTS &&
                   __atomic_load_n(&slots[object].alive, __ATOMIC_ACQUIRE)
               ? slots[object].texture
               : NULL;
}

void texture_remove(unsigned long long object)
{
    __atomic_store_n(&slots[object].alive, 0, __ATOMIC_RELEASE);
}

/* ---- mistakes ------------------------------------------------------------ */

static _Noreturn void bad(const void *pc, const char *what, const char *advice)
{
    const struct simgpu_uint3 b = simgpu_block_idx, t = simgpu_thread_idx;
    char where[256];
    simgpu_report_fault(NULL,
                        "a kernel %s, at %s.\nBlock (%u,%u,%u), thread "
                        "(%u,%u,%u). %s",
                        what,
                        graph_site_text(simgpu_proc()->graph, simgpu_site(pc),
                                        where, sizeof where),
                        b.x, b.y, b.z, t.x, t.y, t.z, advice);
}

static const struct texture *object_for(unsigned long long object, int surface,
                                        int ndims, int layer, int cube,
                                        const void *pc)
{
    const struct texture *const t = texture_of(object);
    if (!t)
        bad(pc, "uses a texture or surface object that does not exist",
            "Was it never made, or destroyed before the kernel had ended?");
    if (t->is_surface != surface)
        bad(pc,
            surface ? "uses a texture object as a surface"
                    : "uses a surface object as a texture",
            "Make one of the other kind for the same array.");
    if (t->ndims != ndims || !t->nlayers != (layer == SIMGPU_NO_LAYER) ||
        (!surface && !t->cubes != !cube))
        bad(pc,
            "uses a texture or surface by a function for other dimensions or "
            "layers than it has",
            "Use the function for those of its array or memory.");
    return t;
}

/* ---- texels -------------------------------------------------------------- */

/* True if texels are converted to floats: they are floats, or the texture asks
 * for it. */
static int reads_floats(const struct texture *t)
{
    return t->format == cudaChannelFormatKindFloat ||
           t->desc.readMode == cudaReadModeNormalizedFloat;
}

static float normalized(const struct texture *t, int value, unsigned bits)
{
    if (t->format == cudaChannelFormatKindUnsigned)
        return (float)bits / (float)((1u << t->bits) - 1);
    const float f = (float)value / (float)((1 << (t->bits - 1)) - 1);
    return f < -1 ? -1 : f;
}

/* Decode the channel at p. */
static void decode(const struct texture *t, const char *p, int channel,
                   union simgpu_texel *out)
{
    uint32_t bits = 0;
    memcpy(&bits, p, (size_t)t->bits / 8); // little endian
    const int unused = 32 - t->bits;
    const int value = (int)(bits << unused) >> unused;
    if (t->format == cudaChannelFormatKindFloat && t->bits == 16)
        out->f[channel] = (float)narrow_decode(bits, NARROW_FP16);
    else if (t->format == cudaChannelFormatKindFloat)
        out->u[channel] = bits;
    else if (t->desc.readMode == cudaReadModeNormalizedFloat)
        out->f[channel] = normalized(t, value, bits);
    else if (t->format == cudaChannelFormatKindSigned)
        out->i[channel] = value;
    else
        out->u[channel] = bits;
}

/* at has an index for each dimension, or BORDER. */
static void read_texel(const struct texture *t, const long at[3], int layer,
                       const void *pc, union simgpu_texel *out)
{
    *out = (union simgpu_texel){{0}};
    for (int d = 0; d < 3; d++)
        if (at[d] == BORDER) {
            if (reads_floats(t))
                memcpy(out->f, t->desc.borderColor, sizeof out->f);
            return;
        }
    const size_t outer = t->nlayers ? (size_t)layer : (size_t)at[2];
    const char *const p = t->base + (size_t)at[0] * t->elem_nbytes +
                          (size_t)at[1] * t->pitch + outer * t->slice;
    access_touch(p, t->elem_nbytes, ACCESS_READ, pc);
    for (int c = 0; c < t->nchannels; c++)
        decode(t, p + c * t->bits / 8, c, out);
}

/* ---- positions ----------------------------------------------------------- */

static long floor_of(float x)
{
    const float most = 1 << 30;
    return x != x ? 0 : (long)floorf(x < -most ? -most : x > most ? most : x);
}

/* Wrapping and mirroring apply to normalised coordinates only. */
static enum cudaTextureAddressMode mode_of(const struct texture *t, int d)
{
    const enum cudaTextureAddressMode m = t->desc.addressMode[d];
    return m == cudaAddressModeBorder || t->desc.normalizedCoords
               ? m
               : cudaAddressModeClamp;
}

/* Convert a coordinate to a position among the texels of dimension d. */
static float position(const struct texture *t, int d, float x)
{
    if (!t->desc.normalizedCoords)
        return x;
    const float whole = floorf(x);
    if (mode_of(t, d) == cudaAddressModeWrap)
        x -= whole;
    else if (mode_of(t, d) == cudaAddressModeMirror)
        x = fmodf(whole, 2) != 0 ? 1 - (x - whole) : x - whole;
    return x * (float)t->size[d];
}

static long index_of(const struct texture *t, int d, long i)
{
    const long n = (long)t->size[d];
    switch (mode_of(t, d)) {
    case cudaAddressModeWrap: return (i % n + n) % n;
    case cudaAddressModeBorder: return i < 0 || i >= n ? BORDER : i;
    default: return i < 0 ? 0 : i < n ? i : n - 1; // also the edge of a mirror
    }
}

/* A GPU treats a one-dimensional array as one row of a two-dimensional texture,
 * read at y = 0, which lies between the border and that row. Other address
 * modes find the row on both sides. */
static int filtered_dims(const struct texture *t)
{
    return t->ndims == 1 && !t->nlayers &&
                   mode_of(t, 1) == cudaAddressModeBorder
               ? 2
               : t->ndims;
}

static void sample_linear(const struct texture *t, const float x[3], int layer,
                          const void *pc, union simgpu_texel *out)
{
    long first[3] = {0};
    float weight[3] = {0};
    const int ndims = filtered_dims(t);
    *out = (union simgpu_texel){{0}};
    for (int d = 0; d < ndims; d++) {
        const float from = position(t, d, d < t->ndims ? x[d] : 0) - 0.5f;
        first[d] = floor_of(from);
        const float part = from - floorf(from);
        // 0 for NaN and infinity
        weight[d] = part >= 0 ? rintf(part * 256) / 256 : 0;
    }
    for (int corner = 0; corner < 1 << ndims; corner++) {
        long at[3] = {0};
        float w = 1;
        union simgpu_texel texel;
        for (int d = 0; d < ndims; d++) {
            const int upper = corner >> d & 1;
            w *= upper ? weight[d] : 1 - weight[d];
            at[d] = index_of(t, d, first[d] + upper);
        }
        if (w == 0) // has no effect, not even if it is infinite
            continue;
        read_texel(t, at, layer, pc, &texel);
        for (int c = 0; c < 4; c++)
            out->f[c] += w * texel.f[c];
    }
}

/* ---- calls from device code ---------------------------------------------- */

void simgpu_texture_fetch(cudaTextureObject_t object, int index,
                          union simgpu_texel *out)
{
    const void *const pc = __builtin_return_address(0);
    const struct texture *const t =
        object_for(object, 0, 1, SIMGPU_NO_LAYER, 0, pc);
    const int inside = index >= 0 && (size_t)index < t->size[0];
    const long at[3] = {inside ? index : BORDER};
    if (!t->is_linear)
        bad(pc, "calls tex1Dfetch() on a texture that is no linear memory",
            "Use tex1D().");
    read_texel(t, at, SIMGPU_NO_LAYER, pc, out);
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static void sample(const struct texture *t, const float to[3], int layer,
                   const void *pc, union simgpu_texel *out)
{
    if (t->desc.filterMode == cudaFilterModeLinear) {
        sample_linear(t, to, layer, pc, out);
        return;
    }
    long at[3] = {0};
    for (int d = 0; d < t->ndims; d++)
        at[d] = index_of(t, d, floor_of(position(t, d, to[d])));
    read_texel(t, at, layer, pc, out);
}

/* Clamp a layer's number to its range. */
static int layer_in(int layer, size_t nlayers)
{
    return layer < 0 ? 0 : min_int(layer, (int)nlayers - 1);
}

void simgpu_texture_sample(cudaTextureObject_t object, int ndims, float x,
                           float y, float z, int layer, union simgpu_texel *out)
{
    const void *const pc = __builtin_return_address(0);
    const float to[3] = {x, y, z};
    const struct texture *const t = object_for(object, 0, ndims, layer, 0, pc);
    if (t->is_linear)
        bad(pc, "calls tex1D() on a texture of linear memory",
            "tex1D() reads arrays. Call tex1Dfetch() with the texel's index: "
            "linear memory is never filtered.");
    sample(t, to, t->nlayers ? layer_in(layer, t->nlayers) : layer, pc, out);
}

/* The face that the direction (x, y, z) meets, and where it does
 * ("Cubemap Textures" in the programming guide). A face's own
 * address modes don't matter. */
static int face_of(float x, float y, float z, float at[3])
{
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float m, s, t;
    int face;
    if (ax >= ay && ax >= az) {
        face = x < 0;
        m = ax, s = x < 0 ? z : -z, t = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0);
        m = ay, s = x, t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0);
        m = az, s = z < 0 ? -x : x, t = -y;
    }
    at[0] = (s / m + 1) / 2;
    at[1] = (t / m + 1) / 2;
    return face;
}

void simgpu_texture_cube(cudaTextureObject_t object, float x, float y, float z,
                         int cube, union simgpu_texel *out)
{
    const void *const pc = __builtin_return_address(0);
    float to[3] = {0};
    struct texture t = *object_for(object, 0, 2, 0, 1, pc);
    const int many = t.cubes == MANY_CUBES;
    if (!many != (cube == SIMGPU_NO_LAYER))
        bad(pc, "uses a cube map by a function for other layers than it has",
            "texCubemap() reads one cube, texCubemapLayered() several.");
    t.desc.normalizedCoords = 1;
    t.desc.addressMode[0] = t.desc.addressMode[1] = cudaAddressModeClamp;
    const int first = many ? 6 * layer_in(cube, t.nlayers / 6) : 0;
    const int face = face_of(x, y, z, to);
    sample(&t, to, first + face, pc, out);
}

void simgpu_texture_gather(cudaTextureObject_t object, float x, float y,
                           int channel, union simgpu_texel *out)
{
    const void *const pc = __builtin_return_address(0);
    const float to[2] = {x, y};
    static const int corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    const struct texture *const t =
        object_for(object, 0, 2, SIMGPU_NO_LAYER, 0, pc);
    for (int i = 0; i < 4; i++) {
        union simgpu_texel texel;
        long at[3] = {0};
        for (int d = 0; d < 2; d++)
            at[d] = index_of(
                t, d, floor_of(position(t, d, to[d]) - 0.5f) + corners[i][d]);
        read_texel(t, at, SIMGPU_NO_LAYER, pc, &texel);
        out->u[i] = texel.u[channel & 3];
    }
}

/* Bring *i into [0, n) by the address mode. Returns 0 if it stays outside. */
static int bring_inside(long *i, size_t n, int mode, const void *pc)
{
    if (*i >= 0 && (size_t)*i < n)
        return 1;
    if (mode == cudaBoundaryModeZero)
        return 0;
    if (mode != cudaBoundaryModeClamp)
        bad(pc, "touches a surface outside of its array",
            "Its x counts bytes, not elements; cudaBoundaryModeClamp and "
            "cudaBoundaryModeZero allow it.");
    *i = *i < 0 ? 0 : (long)n - 1;
    return 1;
}

void *simgpu_surface_at(cudaSurfaceObject_t object, int ndims, int x, int y,
                        int z, int layer, unsigned nbytes, int mode)
{
    const void *const pc = __builtin_return_address(0);
    const struct texture *const t = object_for(object, 1, ndims, layer, 0, pc);
    const long per_row = (long)(t->size[0] * t->elem_nbytes / nbytes);
    long column = x < 0 ? -1 : x / (long)nbytes, row = y;
    long outer = t->nlayers ? layer : z;
    if (x > 0 && x % (int)nbytes)
        bad(pc, "touches a surface at an x that is no multiple of the type",
            "x counts bytes: multiply it by sizeof.");
    if (!bring_inside(&column, (size_t)per_row, mode, pc) ||
        !bring_inside(&row, t->size[1], mode, pc) ||
        !bring_inside(&outer, t->nlayers ? t->nlayers : t->size[2], mode, pc))
        return NULL;
    return t->base + column * (long)nbytes + (size_t)row * t->pitch +
           (size_t)outer * t->slice;
}
