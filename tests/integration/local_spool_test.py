"""Local agents with a spool that stays: a later run knows the files that an earlier one kept.

Without one, `expect` is an error of the plan and `keep` a warning.
"""

from disks import xfs_disk
from lab import require
from plans import write_plan
from results import Result

SIZE = "16MiB"
WRITE = {"op": "write", "targets": ["file"], "size": SIZE}


def test(lab):
    disk = xfs_disk(lab, "disk", 512)
    spool = lab.directory / "spools"
    target = {"path": disk.mount, "size": SIZE, "keep": True}
    forgetful = plan_of(lab, "forgetful", {}, target, WRITE)
    done = lab.muster("check", forgetful).wait(20).expect(0)
    require("spool: DIRECTORY" in done.text, f"that nobody will know the file is not said: {done.text}")

    written = run(lab, plan_of(lab, "written", {"spool": spool}, target, WRITE))
    read = {"op": "read", "targets": ["file"], "size": SIZE, "verify": True,
            "expect": written.run["run"]}
    done = lab.muster("run", plan_of(lab, "unknown", {}, target, read)).wait(20).expect(2)
    require("give them a spool that stays" in done.text, f"the way out is not said: {done.text}")
    verified = run(lab, plan_of(lab, "verified", {"spool": spool}, target, read))
    for host in verified.phase("p")["hosts"]:
        found = host["targets"][0]["miscompares"]
        require(found["verified_bytes"] == 16 << 20 and not found["blocks"], f"found: {found}")
    require(len(list(disk.mount.glob("muster.*.data"))) == 2, "a file of each agent was kept")

    gone = {"path": disk.mount, "size": SIZE, "remove": True}
    run(lab, plan_of(lab, "gone", {"spool": spool}, gone,
                     {"op": "idle", "targets": ["file"], "runtime": "200ms"}))
    require(not list(disk.mount.glob("muster.*.data")), "what was to be removed is there")


def plan_of(lab, name, more, target, phase):
    return write_plan(lab, name, [{"local": 2, **more}], {"file": target}, [{"name": "p", **phase}])


def run(lab, plan):
    directory = lab.directory / f"{plan.stem}.result"
    lab.muster("run", plan, "--out", directory).wait(60).expect(0)
    return Result(directory)
