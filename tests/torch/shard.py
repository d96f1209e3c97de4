"""Sharded training, once more in PyTorch.

    mpirun -n N prog_shard WAY | shard.py

PyTorch's FSDP trains the same network from the same weights on the same rows,
in as many processes over gloo; for hybrid sharding, on a mesh of nodes. Prints
for each step to how many digits the kit's loss and FSDP's agree with that of
one process in double, and with each other. Status 1 if one has fewer than
DIGITS.
"""
import json
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

from lm import Rounded, digits

# A loss is a mean over rows of 7 layers, each of which sums 21 products: some
# 150 roundings of 2^-24. Rounded to bf16, weights whose last bits differ tip
# over to their other neighbour, 2^-8 away.
DIGITS, DIGITS_BF16 = 5, 3


class Unit(nn.Module):
    """Some layers; the network's last one has no gelu behind it."""

    def __init__(self, weights, is_last, narrow):
        super().__init__()
        self.w = nn.ParameterList(nn.Parameter(w) for w in weights)
        self.is_last, self.narrow = is_last, narrow

    def forward(self, x):
        for i, w in enumerate(self.w):
            x = x @ (Rounded.apply(w) if self.narrow else w)
            if not self.is_last or i + 1 < len(self.w):
                x = F.gelu(x)
        return x


def model_of(d, dtype):
    width = [d["in"], *[d["hidden"]] * (d["depth"] - 1), d["out"]]
    w = [torch.tensor(d[f"w{l}"], dtype=dtype).reshape(width[l], width[l + 1])
         for l in range(d["depth"])]
    n = d["per_unit"]
    return nn.Sequential(*(
        Unit(w[l:l + n], l + n >= d["depth"], d["way"] == "mixed")
        for l in range(0, d["depth"], n)))


def train(d, model, ranks, dtype):
    """The mean losses of these ranks' rows."""
    o = torch.optim.AdamW(model.parameters(), lr=d["lr"], betas=d["betas"],
                          eps=d["eps"], weight_decay=d["decay"])
    losses = []
    for step in range(len(d["losses"])):
        x, t = (torch.cat([torch.tensor(d[f"{name}{step}.{r}"], dtype=dtype)
                           for r in ranks]).reshape(len(ranks) * d["rows"], -1)
                for name in "xt")
        loss = F.mse_loss(model(x), t)
        o.zero_grad()
        loss.backward()
        o.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def process(rank, d, folder):
    torch.set_num_threads(1)
    n = d["ranks"]
    dist.init_process_group("gloo", f"file://{folder}/meet", rank=rank,
                            world_size=n)
    hybrid = d["way"] == "hybrid"
    mesh = dist.device_mesh.init_device_mesh(
        "cpu", (n // d["per_node"], d["per_node"]) if hybrid else (n,),
        mesh_dim_names=("nodes", "node") if hybrid else ("node",))
    model = model_of(d, torch.float32)
    for unit in model:
        fully_shard(unit, mesh=mesh, reshard_after_forward=d["way"] != "zero2")
    fully_shard(model, mesh=mesh)
    losses = train(d, model, [rank], torch.float32)
    dist.all_reduce(losses)
    if rank == 0:
        torch.save(losses / n, f"{folder}/losses")
    dist.destroy_process_group()


def main():
    d = json.load(sys.stdin)
    torch.set_num_threads(1)
    exact = train(d, model_of(d, torch.float64), range(d["ranks"]),
                  torch.float64)
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(process, (d, folder), nprocs=d["ranks"])
        fsdp = torch.load(f"{folder}/losses")
    worst = 15
    for step, (ours, f, e) in enumerate(zip(d["losses"], fsdp, exact)):
        agree = (digits(ours, float(e)), digits(float(f), float(e)),
                 digits(ours, float(f)))
        worst = min(worst, *agree)
        print(f"{d['way']}, {d['ranks']} ranks  step {step}  kit {ours:.9f}  "
              f"kit and double {agree[0]:.1f}  FSDP and double {agree[1]:.1f}  "
              f"kit and FSDP {agree[2]:.1f} digits")
    sys.exit(not worst >= (DIGITS_BF16 if d["way"] == "mixed" else DIGITS))


if __name__ == "__main__":
    main()
