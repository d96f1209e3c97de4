"""Attention over ranks, once more in PyTorch.

    mpirun -n N prog_seq ORDER | seq.py

As many processes over gloo repeat it in float: each has its rank's rows,
gathers the keys and values of all, and masks by position; autograd sends
gradients back. Prints to how many digits the outputs and gradients of both
agree with the same attention in one process and in double, relative to its
largest number. Status 1 if one has fewer than DIGITS.
"""
import json
import math
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn import functional as F

# A score sums 24 products, an output or a gradient 96: at most 120 roundings of
# 2^-24 each, relative to the sum of magnitudes.
DIGITS = 5
INPUTS, RESULTS = ("q", "k", "v", "dout"), ("o", "dq", "dk", "dv")


def places(order, ranks, length):
    """The position of each row, rank after rank: by the orders' definition."""
    whole, piece = list(range(length)), length // ranks // 2
    if order == "striped":
        return [p for r in range(ranks) for p in whole[r::ranks]]
    if order == "zigzag":
        return [p for r in range(ranks) for half in (r, 2 * ranks - 1 - r)
                for p in whole[half * piece:(half + 1) * piece]]
    return whole


def attend(q, k, v, mask):
    """Of (rows, heads, width), as blocks are."""
    return F.scaled_dot_product_attention(
        *(x.transpose(0, 1) for x in (q, k, v)), attn_mask=mask).transpose(0, 1)


def results(inputs, mask, gather=lambda x: x):
    """o, dq, dk, dv"""
    q, k, v, dout = inputs
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    o = attend(leaves[0], gather(leaves[1]), gather(leaves[2]), mask)
    return [o.detach(), *torch.autograd.grad(o, leaves, dout)]


class Gather(torch.autograd.Function):
    """The rows of all ranks; backward, the sum of what ranks make of mine."""

    @staticmethod
    def forward(ctx, x):
        parts = [torch.empty_like(x) for _ in range(dist.get_world_size())]
        dist.all_gather(parts, x.contiguous())
        return torch.cat(parts)

    @staticmethod
    def backward(ctx, dy):
        dy = dy.contiguous()
        dist.all_reduce(dy)
        return dy.chunk(dist.get_world_size())[dist.get_rank()]


def process(rank, ranks, inputs, place, folder):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{folder}/meet", rank=rank,
                            world_size=ranks)
    mine = [x.chunk(ranks)[rank] for x in inputs]
    mask = place.chunk(ranks)[rank][:, None] >= place[None, :]
    for name, x in zip(RESULTS, results(mine, mask, Gather.apply)):
        whole = Gather.apply(x)
        if rank == 0:
            torch.save(whole, f"{folder}/{name}")
    dist.destroy_process_group()


def run_processes(ranks, inputs, place):
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(process, (ranks, inputs, place, folder), nprocs=ranks)
        return [torch.load(f"{folder}/{name}") for name in RESULTS]


def digits(ours, exact):
    off = (ours.double().flatten() - exact.flatten()).abs().max()
    return 15 if off == 0 else -math.log10(off / exact.abs().max())


def main():
    d = json.load(sys.stdin)
    torch.set_num_threads(1)
    shape = d["length"], d["heads"], d["width"]
    inputs = [torch.tensor(d[name]).reshape(shape) for name in INPUTS]
    place = torch.tensor(places(d["order"], d["ranks"], d["length"]))
    exact = results([x.double() for x in inputs],
                    place[:, None] >= place[None, :])
    gloo = run_processes(d["ranks"], inputs, place)
    worst = 15
    for name, want, float_ in zip(RESULTS, exact, gloo):
        ours = torch.tensor(d[name])
        agree = digits(ours, want), digits(float_, want)
        between = digits(ours, float_.double())
        worst = min(worst, between, *agree)
        print(f"{d['order']}, {d['ranks']} ranks  {name:2}  "
              f"kit and double {agree[0]:.1f}  gloo and double {agree[1]:.1f}  "
              f"kit and gloo {between:.1f} digits")
    sys.exit(not worst >= DIGITS)


if __name__ == "__main__":
    main()
