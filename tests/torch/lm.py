"""The transformer of common/nn, once more in PyTorch.

    prog_dump fp32 | lm.py [NPROCESSES]

Trains from the same weights on the same tokens, and prints a line for each
step: the losses, and to how many digits they agree. Status 1 if that is fewer
than DIGITS. With a number of processes, PyTorch's FSDP trains in float, over
gloo, each process on its share of the sequences.
"""
import json
import math
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

EPS = 1e-5  # LM_EPS

# (who, bf16): digits that have to agree. bf16: sums in another order tip
# operands over to their other neighbour, 2^-8 away.
DIGITS = {("reference", False): 12, ("device", False): 6, ("fsdp", False): 6,
          ("reference", True): 12, ("device", True): 3}


def bf16(x):
    """To the nearest bf16 and back. PyTorch rounds a double to a float first,
    which may tip it over."""
    m, e = torch.frexp(x)
    return torch.ldexp(torch.round(m * 256) / 256, e)


class Product(torch.autograd.Function):
    """x @ w of operands in bf16, in both directions."""

    @staticmethod
    def forward(ctx, x, w):
        x, w = bf16(x), bf16(w)
        ctx.save_for_backward(x, w)
        return x @ w

    @staticmethod
    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        dy = bf16(dy)
        return dy @ w.mT, x.flatten(0, -2).mT @ dy.flatten(0, -2)


class Rounded(torch.autograd.Function):
    """A parameter, read in bf16."""

    @staticmethod
    def forward(ctx, w):
        return bf16(w)

    @staticmethod
    def backward(ctx, dw):
        return dw


class Layer(nn.Module):
    def __init__(self, d, weights):
        super().__init__()
        c, self.d = d["width"], d
        shapes = [(c,), (c, 3 * c), (c, c), (c,), (c, d["hidden"]),
                  (d["hidden"], c)]
        self.w = nn.ParameterList(
            nn.Parameter(w.reshape(s)) for w, s in zip(weights, shapes))

    def forward(self, x):
        norm1, qkv, out, norm2, up, down = self.w
        b, t, c = x.shape
        heads = self.d["heads"]
        q, k, v = (
            y.reshape(b, t, heads, c // heads).transpose(1, 2)
            for y in product(self.d, norm(self.d, x, norm1), qkv).split(c, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = x + product(self.d, y.transpose(1, 2).reshape(b, t, c), out)
        return h + product(
            self.d, F.gelu(product(self.d, norm(self.d, h, norm2), up)), down)


def read(d, w):
    return Rounded.apply(w) if d["bf16"] else w


def product(d, x, w):
    return Product.apply(x, w) if d["bf16"] else x @ w


def norm(d, x, gain):
    return F.rms_norm(x, gain.shape, read(d, gain), EPS)


class Model(nn.Module):
    def __init__(self, d, dtype):
        super().__init__()
        w = [torch.tensor(v, dtype=dtype) for v in d["weights"]]
        self.d = d
        self.embed = nn.Parameter(w[0].reshape(-1, d["width"]))
        self.place = nn.Parameter(w[1].reshape(-1, d["width"]))
        self.layers = nn.ModuleList(
            Layer(d, w[2 + 6 * l:8 + 6 * l]) for l in range(d["layers"]))
        self.last = nn.Parameter(w[-1])

    def forward(self, token, target):
        x = read(self.d, self.embed)[token] + read(self.d, self.place)
        for layer in self.layers:
            x = layer(x)
        logits = product(self.d, norm(self.d, x, self.last), self.embed.mT)
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())


def train(d, model, rank=0, nranks=1):
    """The losses of all steps. The optimizer is made here, since FSDP replaces
    parameters."""
    o = torch.optim.AdamW(model.parameters(), lr=d["lr"], betas=d["betas"],
                          eps=d["eps"], weight_decay=d["decay"])
    losses = []
    for token, target in zip(d["tokens"], d["targets"]):
        token, target = (
            torch.tensor(x).reshape(-1, d["context"]).chunk(nranks)[rank]
            for x in (token, target))
        loss = model(token, target)
        o.zero_grad()
        loss.backward()
        o.step()
        losses.append(loss.detach())
    return losses


def fsdp(rank, nranks, d, meet, out):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", f"file://{meet}", rank=rank,
                            world_size=nranks)
    mesh = dist.device_mesh.init_device_mesh("cpu", (nranks,))
    model = Model(d, torch.float32)
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    losses = torch.stack(train(d, model, rank, nranks))
    dist.all_reduce(losses)
    if rank == 0:
        out.put([float(x) / nranks for x in losses])
    dist.destroy_process_group()


def run_fsdp(d, nranks):
    context = mp.get_context("spawn")
    out = context.SimpleQueue()
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(fsdp, (nranks, d, folder + "/meet", out), nprocs=nranks)
    return out.get()


def digits(a, b):
    return 15 if a == b else min(15, -math.log10(abs(a - b) / abs(b)))


def compare(d, who, ours, theirs):
    agree = [digits(a, b) for a, b in zip(ours, theirs)]
    for step, (a, b) in enumerate(zip(ours, theirs)):
        print(f"step {step}  {who} {a:.13f}  PyTorch {b:.13f}  "
              f"{agree[step]:.1f} digits")
    return min(agree) < DIGITS[who, d["bf16"]]


def main():
    d = json.load(sys.stdin)
    torch.set_num_threads(1)
    if len(sys.argv) > 1:
        sys.exit(compare(d, "fsdp", d["device"],
                         run_fsdp(d, int(sys.argv[1]))))
    exact = [float(x) for x in train(d, Model(d, torch.float64))]
    bad = compare(d, "reference", d["reference"], exact)
    bad |= compare(d, "device", d["device"], exact)
    sys.exit(bad)


if __name__ == "__main__":
    main()
