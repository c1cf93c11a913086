"""A disk whose throttle comes and goes: period and duty are found, and it is no step."""

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, require_near
from throttle import MB, Throttle

LOW_S, HIGH_S = 0.8, 1.2
# Far below what the machine can do while others use it: the throttle alone is to be seen.
LOW, HIGH = 1 * MB, 10 * MB


def test(lab):
    fleet = Fleet(lab, 1)
    disk = xfs_disk(lab, "disk", 320)
    throttle = Throttle(lab, "host")
    host = fleet.hosts[0]
    host.start_agent(disk, before=throttle.before)
    phase = {"name": "read", "op": "read", "targets": ["disk"], "runtime": "16s",
             "block_size": "16KiB", "workers": 2}
    plan = write_plan(lab, "wave", [{"host": host.address}],
                      {"disk": {"path": disk.mount, "size": "64MiB"}}, [phase])
    throttle.start_wave(disk.device, LOW, HIGH, LOW_S, HIGH_S, 60)
    done, directory = fleet.run(plan)
    result = Result(directory)
    found = [f for f in result.run["findings"] if f["level"] != "NOTE"]
    require([f["code"] for f in found] == ["PERIODIC_STALL"], f"found {found}\n{done.stdout}")
    figures = found[0]["figures"]
    require_near(figures["period_ns"] / 1e9, LOW_S + HIGH_S, 0.1, "period in s")
    require_near(figures["duty"], HIGH_S / (LOW_S + HIGH_S), 0.1, "duty")
    done.expect(0)
