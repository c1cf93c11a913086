"""Two targets on one slow disk, as two controllers on one link would be: a shared limit; and a
buffered read of what fits in memory: the cache is found, and with direct I/O it is gone."""

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, require_near
from throttle import MB, Throttle

RATE = 48 * MB
BOTH = ["perc0", "perc1"]
READ = {"op": "read", "block_size": "256KiB", "workers": 1}


def test(lab):
    fleet = Fleet(lab, 1)
    disk = xfs_disk(lab, "disk", 512)
    throttle = Throttle(lab, "host")
    host = fleet.hosts[0]
    host.start_agent(disk, before=throttle.before)
    for name in BOTH:
        (disk.mount / name).mkdir()
    targets = {name: {"path": disk.mount / name, "size": "64MiB"} for name in BOTH}
    require_cache(fleet, targets)
    throttle.limit(disk.device, read=RATE)
    require_shared_limit(fleet, targets)


def run(fleet, name, targets, phases, code):
    plan = write_plan(fleet.lab, name, [{"host": fleet.hosts[0].address}], targets, phases)
    done, directory = fleet.run(plan)
    return done.expect(code), Result(directory)


def require_cache(fleet, targets):
    phase = {**READ, "name": "read", "targets": ["perc0"], "runtime": "2s"}
    done, result = run(fleet, "buffered", targets, [{**phase, "direct": False}], 3)
    found = [f for f in result.run["findings"] if f["code"] == "CACHE_SERVED"]
    require(len(found) == 1 and found[0]["level"] == "INVALID", f"found {result.codes()}")
    share = found[0]["figures"]["device_share"]
    require(0 <= share < 0.95, f"the device's share is {share}")
    devices = result.phase("read")["hosts"][0]["devices"]
    require_near(devices[0]["share"], share, 1e-9, "share of the device")
    require(result.phase("read")["cluster"] is None, "a cached figure is in a total")
    require("~~" in done.stdout and "CACHE_SERVED" in done.stdout,
            f"the figures are not struck through:\n{done.stdout}")
    _, result = run(fleet, "direct", targets, [{**phase, "direct": True}], 0)
    require("CACHE_SERVED" not in result.codes(), f"direct: found {result.codes()}")


def require_shared_limit(fleet, targets):
    phases = [{**READ, "name": "-".join(names), "targets": names, "runtime": "10300ms"}
              for names in (["perc0"], ["perc1"], BOTH)]
    done, result = run(fleet, "shared", targets, phases, 0)
    found = [f for f in result.run["findings"] if f["level"] != "NOTE"]
    require([(f["code"], f["level"], f["phase"]) for f in found]
            == [("SHARED_LIMIT", "WARN", "perc0-perc1")], f"found {found}")
    require_near(found[0]["figures"]["share"], 0.5, 0.05, "share of the two alone")
    require_near(found[0]["figures"]["together_bytes_per_s"], RATE, 0.05, "rate together")
    require("SHARED_LIMIT" in done.stdout, "the report does not tell of it")
