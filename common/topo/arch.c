#include "topo/calibration.h"

/*
 * Sources. Devices: NVIDIA's data sheets (dense rates; fp16 and fp8 with fp32
 * sums), and the share of these rates that large matrix products and copies
 * achieve. A data sheet's rate with sparsity is twice the dense one. GPUs
 * before Ada have no fp8 units: 0.
 * NVLink bandwidth of copies: p2p-GBps.csv. NCCL's assumptions: its topo.h and
 * tuning.cc. Latency and shares: fitted to the tables in tests/topo/measured,
 * which test_sites repeats with each site left out in turn; an architecture
 * without tables has the values of the closest one. Blackwell's hop: over rings
 * of 2, 4 and 8 B200s, 1 KiB takes 7.0 us, and 1.33 us for each step, in
 * all-reduces, all-gathers and reduce-scatters alike (aiconfigurator.csv).
 * NCCL's constant for a hop of LL is 0.6 us.
 *
 * Hopper's and Blackwell's last seven values follow from aiconfigurator.csv:
 * the time of a rank's copy of its own part, from all-gathers and
 * reduce-scatters over 2, 4 and 8 GPUs from 64 MiB, and from all-reduces; the
 * rate of a channel, from 64 MiB sent to one peer; 11 us for each step of a
 * ring on Blackwell, from 4 to 16 MiB, the same for any operation and number
 * of ranks; the start of messages there, from 512 bytes; the 20 us until a
 * ring of Simple is full, which all-gathers over two GPUs show from 8 to 512
 * MiB; 1.6 us less with LL on Hopper, 1 us more on Blackwell. So do Hopper's
 * share and hop of rings. 0: not modelled. Tables of A100s give 13 GB/s for a
 * channel; its times don't include that.
 */
// clang-format off
const struct calibration_fit calibration_fit = {
    .fill = 3, .ramp = 4.7, .nvls_GBps = 19.5, .nvls_chunks = 1.8,
    .message_us = 2.6, .one_thread = .81};

static const struct calibration_arch archs[] = {
    /* name, SMs, clock and memory clock kHz, bus bits, GiB, L2 MiB,
     *   TFLOP/s of fp32 tf32 fp16 fp64 fp8, share; HBM GB/s, share
     * NVLink: one, one way; all, both ways | NCCL: link, column | data center
     *   | latency, us a hop; shares: ring nvls message ll128
     *   | own copy, the same of an all-reduce, channel, us a step, more before
     *   messages | fill of rings, more before rings of LL */
    {60, {"Tesla P100-SXM2-16GB", 56, 1480500, 715000, 4096, 16, 4,
          {10.6, 10.6, 21.2, 5.3, 0}, .8, 732, .85},
        18, 144, 18, 0, 1, 1.3, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
    {70, {"Tesla V100-SXM2-16GB", 80, 1530000, 877000, 4096, 16, 6,
          {15.7, 15.7, 125, 7.8, 0}, .8, 900, .88},
        24, 288, 20, 0, 1, 1.3, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
    {75, {"Tesla T4", 40, 1590000, 5001000, 256, 16, 4,
          {8.1, 8.1, 65, .25, 0}, .8, 320, .85},
        24, 96, 20, 0, 1, 1.3, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
    {80, {"NVIDIA A100-SXM4-80GB", 108, 1410000, 1593000, 5120, 80, 40,
          {19.5, 156, 312, 9.7, 0}, .8, 2039, .88},
        22.5, 419, 20, 1, 1, 1.4, 0, .86, 0, .76, .8, 0, 0, 0, 0, 0, 0, 0},
    {86, {"NVIDIA GeForce RTX 3090", 82, 1695000, 9751000, 384, 24, 6,
          {35.6, 35.6, 71, .56, 0}, .8, 936, .88},
        12.5, 112, 12, 1, 0, 1, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
    {89, {"NVIDIA GeForce RTX 4090", 128, 2520000, 10501000, 384, 24, 72,
          {82.6, 82.6, 165, 1.29, 330}, .8, 1008, .9},
        12.5, 112, 12, 1, 0, 1, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
    {90, {"NVIDIA H100 80GB HBM3", 132, 1980000, 2619000, 5120, 80, 50,
          {67, 494, 989, 34, 1979}, .8, 3350, .9},
        21.1, 757, 20.6, 2, 1, 1, .2, .97, .81, .9, .92, .4, .2, 18, 0, 0, 20, -1.6},
    {100, {"NVIDIA B200", 148, 1965000, 3996000, 8192, 180, 126,
           {75, 1100, 2250, 37, 4500}, .8, 8000, .9},
        42, 1510, 40.1, 3, 1, 1, .73, .9, .81, .87, .92, .48, .4, 21.5, 11, 2,
         20, 1},
    {103, {"NVIDIA B300", 148, 1920000, 3996000, 8192, 270, 126,
           {75, 1100, 2250, 1.2, 4500}, .8, 8000, .9},
        42, 1510, 40.1, 3, 1, 1, .73, .9, .81, .87, .92, .48, .4, 21.5, 11, 2,
         20, 1},
    {120, {"NVIDIA GeForce RTX 5090", 170, 2407000, 14001000, 512, 32, 96,
           {104.8, 104.8, 209.5, 1.64, 419}, .8, 1792, .9},
        12.5, 128, 12, 3, 0, 1, 0, .9, 0, .81, .8, 0, 0, 0, 0, 0, 0, 0},
};
// clang-format on

const struct calibration_arch *calibration_arch(int sm)
{
    const struct calibration_arch *found = &archs[0];
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (archs[i].sm <= sm)
            found = &archs[i];
    return found;
}
