#include "cudart/kernels/limits.h"

#include <stddef.h> /* size_t */

#include "core/proc.h"

enum { KIB = 1024 };

// clang-format off
static const struct limits table[] = {
    /* sm   threads blocks  shared of SM  of block, at most */
    {  60,  2048,   32,      64 * KIB,  48 * KIB,  48 * KIB},
    {  70,  2048,   32,      96 * KIB,  48 * KIB,  96 * KIB},
    {  75,  1024,   16,      64 * KIB,  48 * KIB,  64 * KIB},
    {  80,  2048,   32,     164 * KIB,  48 * KIB, 163 * KIB},
    {  86,  1536,   16,     100 * KIB,  48 * KIB,  99 * KIB},
    {  89,  1536,   24,     100 * KIB,  48 * KIB,  99 * KIB},
    {  90,  2048,   32,     228 * KIB,  48 * KIB, 227 * KIB},
    { 100,  2048,   32,     228 * KIB,  48 * KIB, 227 * KIB},
    { 120,  1536,   24,     100 * KIB,  48 * KIB,  99 * KIB},
};
// clang-format on

const struct limits *limits_of(int device)
{
    const int sm = simgpu_proc_gpu(device)->sm;
    size_t i = 0;
    while (i + 1 < sizeof table / sizeof *table && table[i + 1].sm <= sm)
        i++;
    return &table[i];
}
