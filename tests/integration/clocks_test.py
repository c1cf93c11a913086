"""Eight hosts with clocks thousands of seconds apart that drift up to 200 ppm, idle and while direct
I/O and six spinning processes load the machine: the truth lies inside what is stated, always, and
sums are exact."""

from clocks import Clock
from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan
from results import Result

DRIFTS_PPB = (0, 50_000, -200_000, 0, 50_000, 200_000, -50_000, 1_000)
SPINNERS = 6


def test(lab):
    fleet = Fleet(lab, len(DRIFTS_PPB))
    clocks = [Clock(host, 1000 * (number + 1), drift_ppb=drift).start_agent(xfs_disk(
        lab, f"disk{number}")) for number, (host, drift) in enumerate(zip(fleet.hosts, DRIFTS_PPB))]
    run_once(lab, fleet, clocks, "idle", rate="4KiB", seconds=6)
    for number in range(SPINNERS):
        lab.start(f"spin{number}", ["sh", "-c", "while :; do :; done"])
    run_once(lab, fleet, clocks, "loaded", rate="1MiB", seconds=6)


def run_once(lab, fleet, clocks, name, rate, seconds):
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "block_size": rate,
               "runtime": f"{seconds}s"}]
    done, directory = fleet.run(fleet_plan(fleet, name, phases, size="32MiB"))
    done.expect(0)
    result = Result(directory)
    result.require_sums()
    phase = result.phase("write")
    for clock in clocks:
        clock.require_true(directory)
    for host in result.run["hosts"]:
        found = host["clock"]
        require(found["known"] and found["exchanges"] > 20, f"{name}: {host['host']}: {found}")
        print(f"{name}: {host['host']}: {found['stamp']}, within {found['bound_ns']} ns, "
              f"drift {found['drift_ppb']} ppb")
    for host in phase["hosts"]:
        edges = host["edges"]
        require(edges["disrupted"] == 0, f"{name}: {host['host']}: {edges}")
        require(edges["error_ns"] < phase["bucket_ns"] // 4, f"{name}: {host['host']}: {edges}")
        print(f"{name}: {host['host']}: edges {edges}")
    print(f"{name}: start skew {phase['start_skew_ns']} ns +- {phase['start_skew_bound_ns']}")
