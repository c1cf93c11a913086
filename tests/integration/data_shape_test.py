"""What compressors and block hashes say of data, held against what the plan asked for."""

import hashlib
import os
import random
import shutil
import subprocess

from disks import MIB, xfs_disk
from lab import require, require_tools
from plans import write_plan

SIZE = 66 * MIB  # whole blocks of 96 KiB
POINTS = 3
LIMIT_S = 400  # compressing and hashing takes all of a processor
SHAPES = {
    "plain": {},
    "half": {"compress": "50%"},
    "both": {"compress": "30%", "dedupe": "20%"},
    "alike": {"dedupe": "50%"},
    "aes": {"pattern": "aes-ctr", "compress": "75%", "dedupe": "5%"},
}
TOOLS = {"zstd": ["zstd", "-1", "-q", "-k"], "lz4": ["lz4", "-1", "-q", "-m"]}
FILES = {4096: 400, 64 << 10: 100, MIB: 16}


def test(lab):
    require_tools(*TOOLS)
    disk = xfs_disk(lab, "disk", 1024)
    targets = {name: {"path": disk.mount, "size": "66MiB", "keep": True} for name in SHAPES}
    phases = [{"name": f"write-{name}", "op": "write", "targets": [name], "size": "66MiB",
               "block_size": "96KiB", "workers": 3, **shape} for name, shape in SHAPES.items()]
    phases += [{"name": "check", "op": "read", "targets": list(SHAPES), "size": "66MiB",
                "verify": True}]
    plan = write_plan(lab, "shape", [{"local": 1, "scratch": disk.mount}], targets, phases)
    lab.muster("run", plan, "--out", lab.directory / "run").wait(120).expect(0)
    files = {path.name.split(".")[2]: path.read_bytes()
             for path in disk.mount.rglob("muster.*.data")}
    require(set(files) == set(SHAPES), f"files are {sorted(files)}")
    for name, shape in SHAPES.items():
        require_compressible(lab, name, files[name], percent(shape, "compress"))
        require_dedupable(name, files[name], percent(shape, "dedupe"))
    require_all_different(files)


def percent(shape, key):
    return int(shape.get(key, "0%").rstrip("%"))


def require_near(value, wanted, what):
    require(abs(value - wanted) <= POINTS, f"{what}: {value:.2f} %, asked for were {wanted} %")


def require_compressible(lab, name, data, wanted):
    for size, most in FILES.items():
        blocks = [data[at:at + size] for at in range(0, SIZE - size, size)]
        blocks = random.Random(1).sample(blocks, min(most, len(blocks)))
        for tool, command in TOOLS.items():
            saved = saved_by(lab, tool, command, blocks)
            require_near(saved, wanted, f"{name}: {tool} saves of {size} bytes")


def saved_by(lab, tool, command, blocks):
    folder = lab.directory / "blocks"
    folder.mkdir()
    names = [folder / str(i) for i in range(len(blocks))]
    for path, block in zip(names, blocks):
        path.write_bytes(block)
    subprocess.run([*command, *names], check=True)
    after = sum(os.path.getsize(path) for path in folder.iterdir() if path.suffix)
    shutil.rmtree(folder)
    require(after, f"{tool} has written nothing")
    return 100 - 100 * after / sum(len(block) for block in blocks)


def hashes(data, size):
    view = memoryview(data)
    return [hashlib.blake2b(view[at:at + size], digest_size=16).digest()
            for at in range(0, SIZE - size + 1, size)]


def require_dedupable(name, data, wanted):
    for size in (4096, 64 << 10, 128 << 10, MIB):
        all_of_them = hashes(data, size)
        there = 100 - 100 * len(set(all_of_them)) / len(all_of_them)
        require_near(there, wanted, f"{name}: blocks of {size} bytes that are there already")


def require_all_different(files):
    """No block of one target stands in another."""
    seen = {}
    for name, data in files.items():
        for digest in set(hashes(data, 4096)):
            require(digest not in seen, f"'{name}' and '{seen.get(digest)}' share a block")
            seen[digest] = name
