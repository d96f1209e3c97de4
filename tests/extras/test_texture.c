/* Texels by coordinates (device/texture.h): what the programming guide's
 * formulas yield, computed by hand. */
#include <check.h>
#include <math.h>   /* INFINITY */
#include <string.h> /* memcpy */

#include "extras/texture/texture.h"
#include "ranks.h"
#include "simgpu/kernel.h"
#include "simgpu/texture_calls.h"
#include "suite.h"

enum { X = 4, Y = 3, Z = 2, NONE = SIMGPU_NO_LAYER };
#define OUTSIDE 99.0f /* the border's colour */

static float box[Z][Y][X]; /* texel (x, y, z) is 100 z + 10 y + x */

static struct texture of_box(int ndims)
{
    for (int i = 0; i < X * Y * Z; i++)
        box[i / (X * Y)][i / X % Y][i % X] =
            (float)(100 * (i / (X * Y)) + 10 * (i / X % Y) + i % X);
    return (struct texture){.base = (char *)box,
                            .ndims = ndims,
                            .size = {X, Y, Z},
                            .pitch = sizeof box[0][0],
                            .slice = sizeof box[0],
                            .elem_nbytes = sizeof(float),
                            .nchannels = 1,
                            .bits = 32,
                            .format = cudaChannelFormatKindFloat,
                            .desc.borderColor = {OUTSIDE}};
}

static float sample(const struct texture *t, float x, float y, float z,
                    int layer)
{
    union simgpu_texel out;
    const unsigned long long object = texture_add(t);
    simgpu_texture_sample(object, t->ndims, x, y, z, layer, &out);
    texture_remove(object);
    return out.f[0];
}

/* ---- positions ----------------------------------------------------------- */

enum mode { CLAMP, WRAP, MIRROR, BORDER };
enum how { POINT, POINT_OF_1, LINEAR, LINEAR_OF_1 }; /* _OF_1: normalised */

static const struct {
    int ndims;
    enum how how;
    enum mode mode;
    float x, y, z, expected;
} positions[] = {
    {1, POINT, CLAMP, 2.9f, 0, 0, 2},
    {1, POINT, CLAMP, 3, 0, 0, 3},
    {1, POINT, CLAMP, -0.1f, 0, 0, 0},
    {1, POINT, CLAMP, 4, 0, 0, 3},
    {1, POINT, CLAMP, 1e30f, 0, 0, 3},
    {1, POINT, CLAMP, -1e30f, 0, 0, 0},
    {1, POINT, CLAMP, NAN, 0, 0, 0},
    {1, POINT, WRAP, 5, 0, 0, 3}, // only of normalised coordinates
    {1, POINT, MIRROR, 5, 0, 0, 3},
    {1, POINT, BORDER, -0.1f, 0, 0, OUTSIDE},
    {1, POINT, BORDER, 0, 0, 0, 0},
    {1, POINT, BORDER, 3.9f, 0, 0, 3},
    {1, POINT, BORDER, 4, 0, 0, OUTSIDE},
    {1, POINT_OF_1, CLAMP, 0.3f, 0, 0, 1},
    {1, POINT_OF_1, CLAMP, 1.3f, 0, 0, 3},
    {1, POINT_OF_1, BORDER, 1.3f, 0, 0, OUTSIDE},
    {1, POINT_OF_1, WRAP, 1.3f, 0, 0, 1},
    {1, POINT_OF_1, WRAP, -0.1f, 0, 0, 3},
    {1, POINT_OF_1, WRAP, -3.9f, 0, 0, 0},
    {1, POINT_OF_1, MIRROR, 0.3f, 0, 0, 1},
    {1, POINT_OF_1, MIRROR, 1.3f, 0, 0, 2},
    {1, POINT_OF_1, MIRROR, 2.3f, 0, 0, 1},
    {1, POINT_OF_1, MIRROR, -0.1f, 0, 0, 0},
    {1, POINT_OF_1, MIRROR, -1.1f, 0, 0, 3},
    {1, LINEAR, CLAMP, 2, 0, 0, 1.5f},
    {1, LINEAR, CLAMP, 1.5f, 0, 0, 1},
    {1, LINEAR, CLAMP, 1.6f, 0, 0, 1 + 26 / 256.0f}, // 8 bits of 0.1
    {1, LINEAR, CLAMP, 0.25f, 0, 0, 0},
    {1, LINEAR, CLAMP, 3.9f, 0, 0, 3},
    {1, LINEAR, CLAMP, NAN, 0, 0, 0},
    {1, LINEAR, CLAMP, INFINITY, 0, 0, 3},
    {1, LINEAR, BORDER, 0.25f, 0, 0, OUTSIDE * 5 / 8}, // half of it above y
    {1, LINEAR_OF_1, WRAP, 0, 0, 0, 1.5f},             // half of 3, half of 0
    {1, LINEAR_OF_1, WRAP, 0.5f, 0, 0, 1.5f},
    {1, LINEAR_OF_1, MIRROR, 1, 0, 0, 3},
    {2, POINT, CLAMP, 1.2f, 2.7f, 0, 21},
    {2, POINT, BORDER, 1.2f, 3, 0, OUTSIDE},
    {2, POINT_OF_1, CLAMP, 0.3f, 0.4f, 0, 11},
    {2, LINEAR, CLAMP, 2, 1, 0, 6.5f},
    {2, LINEAR, CLAMP, 1.75f, 2.25f, 0, 18.75f},
    {3, POINT, CLAMP, 1.2f, 2.7f, 1.1f, 121},
    {3, LINEAR, CLAMP, 2, 1, 1, 56.5f},
    {3, LINEAR, CLAMP, 2, 1, 1.25f, 81.5f},
};

START_TEST(a_coordinate_is_a_position_by_filter_and_address_mode)
{
    static const enum cudaTextureAddressMode modes[] = {
        cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeMirror,
        cudaAddressModeBorder};
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        struct texture t = of_box(positions[i].ndims);
        const enum how how = positions[i].how;
        for (int d = 0; d < 3; d++)
            t.desc.addressMode[d] = modes[positions[i].mode];
        t.desc.normalizedCoords = how == POINT_OF_1 || how == LINEAR_OF_1;
        t.desc.filterMode =
            how >= LINEAR ? cudaFilterModeLinear : cudaFilterModePoint;
        const float f =
            sample(&t, positions[i].x, positions[i].y, positions[i].z, NONE);
        ck_assert_msg(f == positions[i].expected, "%zu: %g is not %g", i,
                      (double)f, (double)positions[i].expected);
    }
}
END_TEST

START_TEST(one_dimension_is_a_row_between_borders_of_y)
{
    struct texture t = of_box(1);
    t.desc.filterMode = cudaFilterModeLinear;
    t.desc.addressMode[0] = cudaAddressModeBorder;
    t.desc.addressMode[1] = cudaAddressModeClamp;
    ck_assert(sample(&t, 0.25f, 0, 0, NONE) == OUTSIDE / 4);
    t.desc.addressMode[1] = cudaAddressModeBorder;
    ck_assert(sample(&t, 1.5f, 9, 0, NONE) == (1 + OUTSIDE) / 2);
    t.nlayers = 2; // but not if it has layers
    ck_assert(sample(&t, 1.5f, 0, 0, 0) == 1);
}
END_TEST

START_TEST(a_texel_without_weight_is_not_seen)
{
    struct texture t = of_box(1);
    t.desc.filterMode = cudaFilterModeLinear;
    box[0][0][2] = INFINITY;
    ck_assert(sample(&t, 1.5f, 0, 0, NONE) == 1);
    ck_assert(isinf(sample(&t, 1.75f, 0, 0, NONE)));
}
END_TEST

START_TEST(layers_are_brought_into_range)
{
    static const int layers[][2] = {{-3, 0}, {0, 0}, {1, 1}, {2, 1}, {50, 1}};
    struct texture t = of_box(2);
    t.nlayers = Z;
    for (int i = 0; i < 5; i++)
        ck_assert(sample(&t, 1, 2, 0, layers[i][0]) ==
                  (float)(100 * layers[i][1] + 21));
}
END_TEST

/* ---- texels -------------------------------------------------------------- */

static union simgpu_texel fetch(struct texture t, int index)
{
    union simgpu_texel out;
    t.is_linear = 1;
    const unsigned long long object = texture_add(&t);
    simgpu_texture_fetch(object, index, &out);
    texture_remove(object);
    return out;
}

START_TEST(a_fetch_is_by_index_and_has_a_border)
{
    const struct texture t = of_box(1);
    ck_assert(fetch(t, 0).f[0] == 0 && fetch(t, 3).f[0] == 3);
    ck_assert(fetch(t, -1).f[0] == OUTSIDE && fetch(t, X).f[0] == OUTSIDE);
}
END_TEST

/* Texel 1 of these bytes. */
static union simgpu_texel decoded(const void *bytes, int nchannels, int bits,
                                  enum cudaChannelFormatKind format,
                                  enum cudaTextureReadMode mode, int index)
{
    static char copy[64];
    memcpy(copy, bytes, 16);
    return fetch(
        (struct texture){.base = copy,
                         .ndims = 1,
                         .size = {2, 1, 1},
                         .elem_nbytes = (size_t)(nchannels * bits / 8),
                         .nchannels = nchannels,
                         .bits = bits,
                         .format = format,
                         .desc = {.readMode = mode, .borderColor = {OUTSIDE}}},
        index);
}

START_TEST(channels_are_widened_as_their_format_says)
{
    static const enum cudaChannelFormatKind U = cudaChannelFormatKindUnsigned,
                                            S = cudaChannelFormatKindSigned,
                                            F = cudaChannelFormatKindFloat;
    static const enum cudaTextureReadMode ELEMENT = cudaReadModeElementType,
                                          UNIT = cudaReadModeNormalizedFloat;
    static const unsigned char bytes[16] = {
        1, 2, 3, 4, 200, 0x80, 255, 51, 0xff, 0, 0, 0x80, 0, 0x3c, 9, 9};
    union simgpu_texel t = decoded(bytes, 4, 8, U, ELEMENT, 1);
    ck_assert(t.u[0] == 200 && t.u[1] == 128 && t.u[2] == 255 && t.u[3] == 51);
    t = decoded(bytes, 2, 8, S, ELEMENT, 1);
    ck_assert(t.i[0] == 3 && t.i[1] == 4 && t.i[2] == 0 && t.i[3] == 0);
    t = decoded(bytes + 4, 1, 8, S, ELEMENT, 1);
    ck_assert_int_eq(t.i[0], -128);
    t = decoded(bytes, 4, 8, U, UNIT, 1);
    ck_assert(t.f[2] == 1 && t.f[3] == 0.2f);
    t = decoded(bytes + 8, 1, 16, S, UNIT, 1);
    ck_assert(t.f[0] == -1); // not a little less
    t = decoded(bytes + 8, 1, 16, U, UNIT, 0);
    ck_assert(t.f[0] == 255.0f / 65535);
    t = decoded(bytes + 10, 1, 16, F, ELEMENT, 1);
    ck_assert(t.f[0] == 1);
    t = decoded(bytes, 1, 32, U, ELEMENT, 1);
    ck_assert_uint_eq(t.u[0], 0x33ff80c8);
    ck_assert(decoded(bytes, 1, 8, U, UNIT, 2).f[0] == OUTSIDE);
    ck_assert_uint_eq(decoded(bytes, 1, 8, U, ELEMENT, 2).u[0], 0);
}
END_TEST

START_TEST(a_gather_has_the_four_texels_around)
{
    union simgpu_texel out;
    const struct texture t = of_box(2);
    const unsigned long long object = texture_add(&t);
    simgpu_texture_gather(object, 2, 1, 0, &out);
    ck_assert(out.f[0] == 11 && out.f[1] == 12 && out.f[2] == 2 &&
              out.f[3] == 1);
    simgpu_texture_gather(object, 2, 1, 1, &out); // a channel that it lacks
    ck_assert(out.f[0] == 0 && out.f[3] == 0);
    texture_remove(object);
}
END_TEST

/* ---- cube maps ----------------------------------------------------------- */

enum { EDGE = 4, CUBES = 2 };

static const struct {
    float x, y, z, expected; /* 100 face + 10 row + column */
} directions[] = {
    {1, .5f, -.5f, 13},   {-1, .5f, -.5f, 111}, {-1, -.5f, .5f, 133},
    {.5f, 1, -.5f, 213},  {.5f, -1, -.5f, 333}, {.5f, -.5f, 1, 433},
    {.5f, .5f, -1, 511},  {2, 1, -1, 13}, // only the direction counts
    {1, 1, 0, 2},         {0, 1, 1, 232},       {1, 0, 1, 20},
    {-.5f, -.5f, -1, 533}};

START_TEST(a_direction_meets_a_face_of_a_cube)
{
    static float faces[6 * CUBES][EDGE][EDGE];
    for (int i = 0; i < 6 * CUBES * EDGE * EDGE; i++)
        faces[i / 16][i / 4 % 4][i % 4] =
            (float)(100 * (i / 16) + 10 * (i / 4 % 4) + i % 4);
    struct texture t = of_box(2);
    t.base = (char *)faces;
    t.size[0] = t.size[1] = EDGE;
    t.pitch = sizeof faces[0][0];
    t.slice = sizeof faces[0];
    for (int many = 0; many < 2; many++) {
        t.cubes = many ? MANY_CUBES : ONE_CUBE;
        t.nlayers = many ? 6 * CUBES : 6;
        const unsigned long long object = texture_add(&t);
        for (int cube = -1; cube <= (many ? CUBES : -1); cube++)
            for (size_t i = 0; i < sizeof directions / sizeof *directions;
                 i++) {
                union simgpu_texel out;
                simgpu_texture_cube(object, directions[i].x, directions[i].y,
                                    directions[i].z, many ? cube : NONE, &out);
                ck_assert_msg(out.f[0] ==
                                  directions[i].expected + (cube > 0 ? 600 : 0),
                              "cube %d, %zu: %g", cube, i, (double)out.f[0]);
            }
        texture_remove(object);
    }
}
END_TEST

/* ---- surfaces ------------------------------------------------------------ */

static ptrdiff_t at(unsigned long long object, int x, int y, int z, int layer,
                    unsigned nbytes, int mode)
{
    const char *const p = simgpu_surface_at(object, layer == NONE ? 3 : 2, x, y,
                                            z, layer, nbytes, mode);
    return p ? p - (const char *)box : -1;
}

START_TEST(a_surface_is_addressed_by_bytes_rows_and_slices)
{
    enum { ZERO = cudaBoundaryModeZero, IN = cudaBoundaryModeClamp };
    enum { TRAP = cudaBoundaryModeTrap };
    struct texture t = of_box(3), u = of_box(2);
    t.is_surface = u.is_surface = 1;
    u.nlayers = Z;
    const unsigned long long s = texture_add(&t), layered = texture_add(&u);
    ck_assert_int_eq(at(s, 0, 0, 0, NONE, 4, TRAP), 0);
    ck_assert_int_eq(at(s, 12, 2, 1, NONE, 4, TRAP), 12 + 2 * 16 + 48);
    ck_assert_int_eq(at(s, 8, 1, 0, NONE, 8, TRAP), 8 + 16);
    ck_assert_int_eq(at(s, 16, 0, 0, NONE, 4, ZERO), -1);
    ck_assert_int_eq(at(s, -1, 0, 0, NONE, 4, ZERO), -1);
    ck_assert_int_eq(at(s, 0, 3, 0, NONE, 4, ZERO), -1);
    ck_assert_int_eq(at(s, 0, -1, 0, NONE, 4, ZERO), -1);
    ck_assert_int_eq(at(s, 0, 0, 2, NONE, 4, ZERO), -1);
    ck_assert_int_eq(at(s, 16, 0, 0, NONE, 4, IN), 12);
    ck_assert_int_eq(at(s, 16, 0, 0, NONE, 8, IN), 8);
    ck_assert_int_eq(at(s, -4, -1, -1, NONE, 4, IN), 0);
    ck_assert_int_eq(at(s, 4, 7, 7, NONE, 4, IN), 4 + 2 * 16 + 48);
    ck_assert_int_eq(at(layered, 4, 1, 0, 1, 4, TRAP), 4 + 16 + 48);
    ck_assert_int_eq(at(layered, 4, 1, 0, 2, 4, ZERO), -1);
    texture_remove(s);
    texture_remove(layered);
}
END_TEST

/* ---- objects and mistakes ------------------------------------------------ */

START_TEST(objects_are_numbered_in_turn)
{
    enum { MOST = (1 << 16) - 1 };
    const struct texture t = of_box(1);
    ck_assert_uint_eq(texture_add(&t), 1);
    texture_remove(1);
    ck_assert_ptr_null(texture_of(1));
    ck_assert_ptr_null(texture_of(0));
    ck_assert_ptr_null(texture_of(MOST + 1));
    for (unsigned long long i = 2; i <= MOST; i++)
        ck_assert_uint_eq(texture_add(&t), i);
    ck_assert_uint_eq(texture_add(&t), 1);
    ck_assert_uint_eq(texture_add(&t), 0);
    texture_remove(7);
    ck_assert_uint_eq(texture_add(&t), 7);
    ck_assert(texture_of(MOST)->size[0] == X);
}
END_TEST

#define OTHER_FUNCTION                                                         \
    "uses a texture or surface by a function for other dimensions or layers "  \
    "than it has"

static int mistake;

static void make_mistake(struct shared *s)
{
    (void)s;
    union simgpu_texel out;
    simgpu_block_idx = (struct simgpu_uint3){.x = 1, .y = 2, .z = 3};
    simgpu_thread_idx = (struct simgpu_uint3){.x = 4, .y = 5, .z = 6};
    struct texture t = of_box(2), linear = of_box(1), surface = of_box(2);
    struct texture cube = of_box(2);
    linear.is_linear = surface.is_surface = 1;
    cube.cubes = ONE_CUBE;
    cube.nlayers = 6;
    const unsigned long long a = texture_add(&t), b = texture_add(&linear),
                             c = texture_add(&surface), d = texture_add(&cube);
    switch (mistake) {
    case 0: simgpu_texture_sample(9, 2, 0, 0, 0, NONE, &out); break;
    case 1: simgpu_surface_at(a, 2, 0, 0, 0, NONE, 4, 0); break;
    case 2: simgpu_texture_sample(c, 2, 0, 0, 0, NONE, &out); break;
    case 3: simgpu_texture_sample(a, 3, 0, 0, 0, NONE, &out); break;
    case 4: simgpu_texture_sample(a, 2, 0, 0, 0, 0, &out); break;
    case 5: simgpu_texture_sample(d, 2, 0, 0, 0, 0, &out); break;
    case 6: simgpu_texture_fetch(a, 0, &out); break;
    case 7:
        t.ndims = 1;
        simgpu_texture_fetch(texture_add(&t), 0, &out);
        break;
    case 8: simgpu_texture_sample(b, 1, 0, 0, 0, NONE, &out); break;
    case 9: simgpu_texture_cube(d, 1, 0, 0, 0, &out); break;
    case 10: simgpu_surface_at(c, 2, 2, 0, 0, NONE, 4, 0); break;
    case 11:
        simgpu_surface_at(c, 2, 16, 0, 0, NONE, 4, cudaBoundaryModeTrap);
        break;
    }
}

static const struct {
    const char *what, *advice;
} reports[] = {
    {"uses a texture or surface object that does not exist",
     "Was it never made, or destroyed before the kernel had ended?"},
    {"uses a texture object as a surface",
     "Make one of the other kind for the same array."},
    {"uses a surface object as a texture",
     "Make one of the other kind for the same array."},
    {OTHER_FUNCTION, "Use the function for those of its array or memory."},
    {OTHER_FUNCTION, "Use the function for those of its array or memory."},
    {OTHER_FUNCTION, "Use the function for those of its array or memory."},
    {OTHER_FUNCTION, "Use the function for those of its array or memory."},
    {"calls tex1Dfetch() on a texture that is no linear memory",
     "Use tex1D()."},
    {"calls tex1D() on a texture of linear memory",
     "tex1D() reads arrays. Call tex1Dfetch() with the texel's index: linear "
     "memory is never filtered."},
    {"uses a cube map by a function for other layers than it has",
     "texCubemap() reads one cube, texCubemapLayered() several."},
    {"touches a surface at an x that is no multiple of the type",
     "x counts bytes: multiply it by sizeof."},
    {"touches a surface outside of its array",
     "Its x counts bytes, not elements; cudaBoundaryModeClamp and "
     "cudaBoundaryModeZero allow it."},
};

START_TEST(a_mistake_is_reported)
{
    char text[4096], before[256], behind[256];
    mistake = _i;
    snprintf(before, sizeof before,
             "a kernel %s, at test_texture.c:", reports[_i].what);
    snprintf(behind, sizeof behind,
             ".\nsimgpu: rank 0: Block (1,2,3), thread (4,5,6). %s\n",
             reports[_i].advice);
    const struct rank r = rank_start(0, 1, make_mistake, shared_new());
    ck_assert_int_eq(rank_end(r, text, sizeof text), PROC_EXIT_FAULT);
    const char *const at = strstr(text, before);
    ck_assert_msg(at && strstr(at, behind), "%s", text);
}
END_TEST

int main(void)
{
    Suite *const s = suite_create("texture");
    TCase *const t = tcase_create("texture");
    tcase_add_test(t, a_coordinate_is_a_position_by_filter_and_address_mode);
    tcase_add_test(t, one_dimension_is_a_row_between_borders_of_y);
    tcase_add_test(t, a_texel_without_weight_is_not_seen);
    tcase_add_test(t, layers_are_brought_into_range);
    tcase_add_test(t, a_fetch_is_by_index_and_has_a_border);
    tcase_add_test(t, channels_are_widened_as_their_format_says);
    tcase_add_test(t, a_gather_has_the_four_texels_around);
    tcase_add_test(t, a_direction_meets_a_face_of_a_cube);
    tcase_add_test(t, a_surface_is_addressed_by_bytes_rows_and_slices);
    tcase_add_test(t, objects_are_numbered_in_turn);
    tcase_add_loop_test(t, a_mistake_is_reported, 0,
                        sizeof reports / sizeof *reports);
    suite_add_tcase(s, t);
    return suite_run(s);
}
