"""Two ranks, NVIDIA's Python bindings: nccl4py on cuda.core.

    python3 allreduce.py FOLDER RANK   or   mpirun -n 2 python3 allreduce.py

The unique id goes through a file in FOLDER, or through mpi4py.
"""
import os
import sys
import time

import numpy as np
import nccl.core as nccl
from cuda.core import Device, LegacyPinnedMemoryResource

N = 1000


def share_by_file(make):
    path = os.path.join(sys.argv[1], "id")
    if rank == 0:
        unique = make()
        with open(path + ".part", "wb") as f:
            f.write(unique.as_bytes)
        os.rename(path + ".part", path)
        return unique
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path, "rb") as f:
        return nccl.UniqueId.from_bytes(f.read())


class Floats:
    """The buffer as an array of floats."""

    def __init__(self, buffer):
        self.__cuda_array_interface__ = {
            "version": 3, "shape": (N,), "typestr": "<f4",
            "data": (int(buffer.handle), False)}


if len(sys.argv) > 2:
    rank, nranks = int(sys.argv[2]), 2
    share = share_by_file
else:
    from mpi4py import MPI

    rank, nranks = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    share = lambda make: MPI.COMM_WORLD.bcast(make() if rank == 0 else None)

device = Device(rank)
device.set_current()
comm = nccl.Communicator.init(
    nranks=nranks, rank=rank, unique_id=share(nccl.get_unique_id))
stream = device.create_stream()
start = np.arange(N, dtype=np.float32) * (rank + 1)
host = LegacyPinnedMemoryResource().allocate(start.nbytes)
values = np.from_dlpack(host).view(np.float32)
values[:] = start
buffer = nccl.mem_alloc(start.nbytes)
buffer.copy_from(host, stream=stream)
comm.allreduce(Floats(buffer), Floats(buffer), nccl.SUM, stream=stream)
buffer.copy_to(host, stream=stream)
stream.sync()
comm.destroy()
right = np.arange(N) * (nranks * (nranks + 1) // 2)
print("rank", rank, "sum is", "right" if (values == right).all() else values)
