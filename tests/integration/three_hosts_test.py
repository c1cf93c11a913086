"""Three hosts over the network, two with XFS and one with a btrfs stripe: their own counters,
the timeline and the kernel's counters of the disks agree."""

from disks import btrfs_stripe, xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result, moved_by, require_near

PHASES = [
    {"name": "write", "op": "write", "targets": ["disk"], "size": "512MiB", "workers": 2},
    {"name": "read", "op": "read", "targets": ["disk"], "runtime": "3s", "workers": 2},
]


def test(lab):
    fleet = Fleet(lab, 3)
    disks = [xfs_disk(lab, "xfs1", 1024), xfs_disk(lab, "xfs2", 1024),
             btrfs_stripe(lab, "btrfs", 1024)]
    for host, disk in zip(fleet.hosts, disks):
        host.start_agent(disk)
    plan = fleet_plan(fleet, "three", PHASES, "512MiB")
    before = [disk.counters() for disk in disks]
    done, directory = fleet.run(plan)
    done.expect(0)
    after = [disk.counters() for disk in disks]

    result = Result(directory)
    require(result.outcome == "PASS", f"outcome is {result.outcome}")
    result.require_sums()
    result.require_all_active("read")
    write, read = result.phase("write"), result.phase("read")
    for index, host in enumerate(fleet.hosts):
        moved = [b - a for a, b in zip(before[index], after[index])]
        require_near(moved[0], moved_by(read, host.address, "bytes"), 0.02,
                     f"{host.address}: bytes read from its loop devices")
        require_near(moved[1], moved_by(write, host.address, "bytes"), 0.02,
                     f"{host.address}: bytes written to its loop devices")
        require(host.disk.files() == [], f"{host.address}: files are left: {host.disk.files()}")
    require_devices(write, "bytes_written", fleet)
    require_devices(read, "bytes_read", fleet)
    # All three live on one kernel here, so the skew is that of the start, not of the clocks.
    require(read["start_skew_ns"] < 100_000_000, f"start skew is {read['start_skew_ns']} ns")


def require_devices(phase, key, fleet):
    """Each loop device stands in run.json once and together they moved what the engine did."""
    devices = [device for host in phase["hosts"] for device in host["devices"]
               if device["under"] is None]
    names = sorted(device["device"] for device in devices)
    wanted = sorted(name for host in fleet.hosts for name in host.disk.names())
    require(names == wanted, f"{phase['name']}: devices are {names}, should be {wanted}")
    for host in fleet.hosts:
        moved = sum(device[key] for device in devices if device["device"] in host.disk.names())
        require_near(moved, moved_by(phase, host.address, "bytes"), 0.02,
                     f"{phase['name']}: {key} of the devices of {host.address}")
