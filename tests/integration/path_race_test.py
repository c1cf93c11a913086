"""Somebody on the host swaps a directory for a link to another one, again and again, while a run makes
its file there: nothing is ever made, written or removed where the agent's lists do not lead."""

import os
import stat

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan

RUNS = 12

# renameat2(RENAME_EXCHANGE) of "there" and "link": at any moment one of the two has each name.
SWAP = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
os.chdir(sys.argv[1])
end = time.monotonic() + 150
while time.monotonic() < end:
    if libc.renameat2(-100, b"there", -100, b"link", 2) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    time.sleep(0.0002)
"""


def test(lab):
    disk = xfs_disk(lab, "disk")
    outside = lab.directory / "outside"
    (outside / "sub").mkdir(parents=True)
    precious = outside / "sub" / "name"
    precious.write_text("precious")
    (disk.mount / "there" / "sub").mkdir(parents=True)
    (disk.mount / "link").symlink_to(outside)
    fleet = Fleet(lab, 1)
    fleet.hosts[0].start_agent(disk)
    swapper = lab.start("swap", ["python3", "-c", SWAP, disk.mount])
    codes = [race(lab, fleet, disk, number, path)
             for number in range(RUNS // 2) for path in ("there/sub", "there/sub/name")]
    require(swapper.is_running(), f"nobody swapped: {swapper.output()}")
    swapper.end()
    require(sorted(os.listdir(outside / "sub")) == ["name"] and
            precious.read_text() == "precious" and
            stat.S_ISREG(precious.lstat().st_mode), f"outside: {os.listdir(outside / 'sub')}")
    require(set(codes) <= {0, 3, 5}, f"exit codes {codes}")
    print(f"exit codes {codes}", flush=True)
    left = [path for path in disk.mount.rglob("*") if path.is_file() and not path.is_symlink()]
    fleet.hosts[0].agent.end()
    # A file whose directory was swapped out when it was to be removed is named, and stays.
    said = fleet.hosts[0].agent.output()[1]
    for path in left:
        require(path.name in said, f"'{path}' was left and it was not said:\n{said}")


def race(lab, fleet, disk, number, path):
    target = {"path": disk.mount / path, "size": "1MiB"}
    phases = [{"name": "write", "op": "write", "targets": ["t"], "size": "1MiB"},
              {"name": "read", "op": "read", "targets": ["t"], "size": "1MiB"}]
    plan = write_plan(lab, f"race-{number}-{path.count('/')}",
                      [{"host": fleet.hosts[0].address}], {"t": target}, phases)
    done, _ = fleet.run(plan)
    return done.code
