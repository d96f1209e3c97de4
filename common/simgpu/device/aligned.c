#include "device/aligned.h"

#include <cuda_runtime_api.h> /* cudaErrorMisalignedAddress */
#include <stdio.h>            /* snprintf */
#include <string.h>           /* strlen */

#include "core/heap/heap_space.h" /* space_slot */
#include "device/access_live.h"
#include "device/failure.h"

void aligned_fail(const struct access_log *g, const volatile void *p,
                  size_t nbytes, enum touch_kind kind, const void *pc)
{
    char what[512] = "a local or shared variable";
    if (space_slot((const void *)p) >= 0)
        simgpu_heap_describe((const void *)p, what, sizeof what);
    failure_report(
        g->launch, cudaErrorMisalignedAddress, pc, failure_access(kind, nbytes),
        "%s.\nThe address is %zu past a multiple of %zu, and a GPU "
        "accesses %zu bytes at multiples of %zu only.\nIs the "
        "pointer cast from one to a smaller type?",
        what, (size_t)((uintptr_t)p % nbytes), nbytes, nbytes, nbytes);
}

/* What the undefined behavior sanitizer knows of an access. */
struct mismatch {
    const char *file;
    uint32_t line, column;
    const struct type {
        uint16_t kind, info;
        char name[]; /* in quotes */
    } * type;
    unsigned char log2_align;
    unsigned char access;
};
enum { MISMATCH_STORE = 1, MISMATCH_MEMBER = 3 }; /* values of `access` */
enum { MOST_BYTES = 16 };                         /* accessed at once */

/* True for 'float4' and the like. A GPU's compiler makes one access of those to
 * their members; a member of another structure is accessed alone. */
static int is_vector(const char *name)
{
    const size_t n = strlen(name);
    return n > 1 && (name[n - 2] == '2' || name[n - 2] == '4');
}

/*
 * The address is not a multiple of the type's alignment. The thread's local
 * variables are exempt: a GPU has them in registers, where it can. So is a
 * type that is aligned to more than is accessed at once.
 */
void simgpu_mismatch(const struct mismatch *m, const volatile void *p,
                     const void *pc);
void simgpu_mismatch(const struct mismatch *m, const volatile void *p,
                     const void *pc)
{
    const struct access_log *const g = access_live;
    const size_t align = (size_t)1 << m->log2_align;
    const size_t nbytes = align < MOST_BYTES ? align : MOST_BYTES;
    if (!g || (uintptr_t)p % nbytes == 0 || space_is_stack((const void *)p) ||
        (m->access == MISMATCH_MEMBER && !is_vector(m->type->name)))
        return;
    aligned_fail(g, p, nbytes,
                 m->access == MISMATCH_STORE ? TOUCH_WRITE : TOUCH_READ, pc);
}

void __ubsan_handle_type_mismatch_v1(const struct mismatch *m,
                                     const volatile void *p);
void __ubsan_handle_type_mismatch_v1(const struct mismatch *m,
                                     const volatile void *p)
{
    simgpu_mismatch(m, p, __builtin_return_address(0));
}
