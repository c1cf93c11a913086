"""Four hosts with disks of one speed but one at 60 %: that one is named, and the gate on spread
fails. Two more on ZFS are of another class, and no outliers."""

import json

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, require_near
from throttle import MB, Throttle

RATE = 40 * MB
SLOW = 24 * MB
PHASE = {"name": "read", "op": "read", "targets": ["disk"], "runtime": "10500ms",
         "block_size": "256KiB", "workers": 1}
GATES = [{"phase": "read", "metric": "spread", "of": "fleet", "at_most": "10%"}]


def test(lab):
    fleet = Fleet(lab, 4)
    for number, host in enumerate(fleet.hosts):
        disk = xfs_disk(lab, f"disk{number}", 320)
        throttle = Throttle(lab, f"host{number}")
        throttle.limit(disk.device, read=SLOW if number == 2 else RATE)
        host.start_agent(disk, before=throttle.before)
    agents = [{"host": host.address, "targets": {"disk": {"path": host.disk.mount}}}
              for host in fleet.hosts]
    plan = write_plan(lab, "outlier", agents, {"disk": {"path": "/nowhere", "size": "64MiB"}},
                      [PHASE], gates=GATES)
    done, directory = fleet.run(plan)
    done.expect(1)
    result = Result(directory)
    outliers = [f for f in result.run["findings"] if f["code"] == "OUTLIER"]
    require([f["host"] for f in outliers] == [fleet.hosts[2].address],
            f"outliers: {outliers}")
    require_near(outliers[0]["figures"]["ratio"], SLOW / RATE, 0.1, "ratio of the slow host")
    others = [f for f in result.run["findings"]
              if f["level"] in ("WARN", "INVALID") and f["code"] != "OUTLIER"]
    require(not others, f"found besides: {json.dumps(others, indent=1)}")
    gate = result.run["gates"][0]
    require(gate["state"] == "FAIL" and gate["margin"] < 0, f"the gate is {gate}")
    require_near(gate["value"], 100 * (RATE - SLOW) / RATE, 0.1, "spread")
    require(fleet.hosts[2].address in done.stdout, "the report does not name the host")
