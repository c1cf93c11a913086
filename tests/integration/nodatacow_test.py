"""Files written over in place on btrfs, and lay-outs that leave nothing unwritten behind."""

from disks import btrfs_stripe, xfs_disk
from lab import require, require_tools
from plans import write_plan
from results import Result

SIZE = "32MiB"


def test(lab):
    require_tools("lsattr", "filefrag", "xfs_io")
    btrfs = btrfs_stripe(lab, "btrfs", 512)
    in_place(lab, btrfs)
    xfs = xfs_disk(lab, "xfs", 512)
    refused_where_it_is_not(lab, xfs)
    nothing_unwritten(lab, xfs)


def run(lab, name, disk, targets, phases, code):
    plan = write_plan(lab, name, [{"local": 1, "scratch": disk.mount}], targets, phases)
    directory = lab.directory / f"run-{name}"
    return lab.muster("run", plan, "--out", directory).wait(60).expect(code), directory


def in_place(lab, disk):
    targets = {"copied": {"path": disk.mount, "size": SIZE, "keep": True},
               "placed": {"path": disk.mount, "size": SIZE, "keep": True, "nodatacow": True}}
    both = {"targets": list(targets), "size": SIZE}
    phases = [{"name": "read", "op": "read", "verify": True, **both},
              {"name": "write", "op": "write", **both}]
    done, directory = run(lab, "btrfs", disk, targets, phases, 0)
    result = Result(directory)
    for phase in ("read", "write"):
        found = {target["target"]: target["io"]
                 for target in result.phase(phase)["hosts"][0]["targets"]}
        require(found == {"copied": "written through", "placed": "direct"}, f"{phase}: {found}")
    require("btrfs accepts direct I/O but may copy it" in " ".join(done.stdout.split()),
            "the report does not mark what is not direct")
    flags = {path.name.split(".")[2]: lab.call("lsattr", path).split()[0]
             for path in disk.mount.rglob("muster.*.data")}
    require("C" in flags["placed"] and "C" not in flags["copied"], f"flags are {flags}")


def refused_where_it_is_not(lab, disk):
    targets = {"placed": {"path": disk.mount, "size": SIZE, "nodatacow": True}}
    phases = [{"name": "write", "op": "write", "targets": ["placed"], "size": SIZE}]
    done, _ = run(lab, "refused", disk, targets, phases, 5)
    require("cannot be made nodatacow" in done.stderr, f"the reason is not said:\n{done.stderr}")
    require(disk.files() == [], f"files are left: {disk.files()}")


def nothing_unwritten(lab, disk):
    """Space is taken in one piece, and all of it is written before it is read."""
    targets = {"file": {"path": disk.mount, "size": SIZE, "keep": True}}
    phases = [{"name": "read", "op": "read", "targets": ["file"], "size": SIZE}]
    run(lab, "whole", disk, targets, phases, 0)
    path = next(disk.mount.rglob("muster.*.data"))
    extents = lab.call("filefrag", "-v", path)
    require("unwritten" not in extents, f"unwritten extents were read:\n{extents}")
    probe = disk.mount / "probe"
    lab.call("xfs_io", "-f", "-c", "falloc 0 1m", probe)
    require("unwritten" in lab.call("filefrag", "-v", probe), "filefrag cannot tell")
