"""Two local agents on one disk: sums, window, the disk once, nothing left behind."""

from disks import xfs_disk
from lab import require, wait_for
from plans import write_plan
from results import Result, host_of, require_near

PHASES = [
    {"name": "write", "op": "write", "targets": ["one", "two"], "size": "96MiB", "workers": 2},
    {"name": "read", "op": "read", "targets": ["one", "two"], "runtime": "2s", "ramp": "300ms"},
    {"name": "mixed", "op": "mixed", "access": "random", "targets": ["one"], "runtime": "1s",
     "block_size": "64KiB"},
]


def test(lab):
    disk = xfs_disk(lab, "disk", 1024)
    targets = {name: {"path": ".", "size": "96MiB"} for name in ("one", "two")}
    plan = write_plan(lab, "local", [{"local": 2, "scratch": disk.mount}], targets, PHASES)
    directory = lab.directory / "run"
    # What it writes for its agents nobody else may change, whatever the umask leaves open.
    done = lab.start("muster", ["sh", "-c", 'umask 0 && exec "$@"', "sh", lab.build / "muster",
                                "run", plan, "--out", directory]).wait(60).expect(0)
    require(str(directory) in done.stdout, "the report does not say where the run directory is")
    require("all-active" in done.stdout, f"the report has no all-active window:\n{done.stdout}")

    result = Result(directory)
    require(result.outcome == "PASS", f"outcome is {result.outcome}")
    result.require_sums()
    for name in ("read", "mixed"):
        result.require_all_active(name)
    for phase in result.run["phases"]:
        require_disk_once(phase, disk)
    require(plan.read_text() == (directory / "plan.yaml").read_text(), "plan.yaml is not the plan")

    wait_for(lambda: not lab.processes(), 5, "local agents end")
    lab.require_nothing_left()
    require(disk.files() == [], f"files are left on the disk: {disk.files()}")


def require_disk_once(phase, disk):
    devices = [device for host in phase["hosts"] for device in host["devices"]
               if device["under"] is None]
    names = [device["device"] for device in devices]
    require(names == sorted(disk.names()), f"{phase['name']}: devices are {names}")
    targets = sum(len(host_of(phase, host["host"])["targets"]) for host in phase["hosts"])
    require(len(devices[0]["targets"]) == targets,
            f"{phase['name']}: {names[0]} has targets {devices[0]['targets']}, of {targets}")
    require_near(devices[0]["share"], 1.0, 0.05, f"{phase['name']}: share of {names[0]}")
