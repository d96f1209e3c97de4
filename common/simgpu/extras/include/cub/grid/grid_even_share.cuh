/* cub/grid/grid_even_share.cuh: distributing the tiles
 * of n items among blocks */
#ifndef SIMGPU_CUB_GRID_EVEN_SHARE_CUH
#define SIMGPU_CUB_GRID_EVEN_SHARE_CUH

#include "cub/util_type.cuh"

namespace cub
{
enum GridMappingStrategy {
    GRID_MAPPING_RAKE,       // consecutive tiles
    GRID_MAPPING_STRIP_MINE, // every grid_size-th tile
    GRID_MAPPING_DYNAMIC     // the next tile from a GridQueue
};

/* Host code calls DispatchInit(), a kernel BlockInit(). The block then goes
 * from block_offset to block_end in steps of block_stride. */
template <class N> struct GridEvenShare {
    N num_items = 0;
    int grid_size = 0;
    N block_offset = 0, block_end = 0, block_stride = 0;

    void DispatchInit(N n, int most_blocks, int tile)
    {
        num_items = block_offset = block_end = n; // no items
        ntiles = (int)((n + tile - 1) / tile);
        grid_size = CUB_MIN(ntiles, most_blocks);
        tiles_each = grid_size ? ntiles / grid_size : 0;
        nlarge = ntiles - tiles_each * grid_size;
    }
    template <int TILE, GridMappingStrategy HOW> void BlockInit()
    {
        const N me = (N)blockIdx.x;
        if (HOW == GRID_MAPPING_STRIP_MINE) {
            BlockInit<TILE>(me * TILE, num_items);
            block_stride = (N)grid_size * TILE;
            return;
        }
        if ((int)me >= grid_size)
            return;
        /* The first nlarge blocks get one more tile. */
        const N first = me * tiles_each + CUB_MIN(me, (N)nlarge);
        const N end = first + tiles_each + (me < (N)nlarge);
        BlockInit<TILE>(first * TILE, CUB_MIN(end * TILE, num_items));
    }
    template <int TILE> void BlockInit(N begin, N end)
    {
        block_offset = begin;
        block_end = end;
        block_stride = TILE;
    }

  private:
    int ntiles = 0, tiles_each = 0, nlarge = 0;
};
} // namespace cub
#endif
