"""A stripe over one slow and two fast disks: what it loses, and by whose fault."""

from disks import bare_disk
from hosts import Fleet
from lab import require
from plans import write_plan
from results import Result, require_near
from throttle import MB, Throttle

RATE = 40 * MB
SLOW = 16 * MB
NAMES = ["a", "b", "c"]
PHASE = {"op": "read", "runtime": "10300ms", "block_size": "256KiB", "queue_depth": 1}


def test(lab):
    fleet = Fleet(lab, 1)
    disks = {name: bare_disk(lab, name, 64) for name in NAMES}
    throttle = Throttle(lab, "host")
    for name, disk in disks.items():
        throttle.limit(disk.device, read=SLOW if name == "b" else RATE)
    host = fleet.hosts[0]
    host.start_agent(None, devices=[disk.device for disk in disks.values()],
                     before=throttle.before)
    targets = {name: {"device": disk.device} for name, disk in disks.items()}
    targets["stripe"] = {"stripe": NAMES, "stripe_unit": "64KiB"}
    phases = [{**PHASE, "name": "members", "targets": NAMES, "workers": 1},
              {**PHASE, "name": "whole", "targets": ["stripe"], "workers": 6}]
    gates = [{"phase": "whole", "metric": "stripe_efficiency", "of": "host", "at_least": "80%"}]
    plan = write_plan(lab, "stripe", [{"host": host.address}], targets, phases, gates=gates)
    done, directory = fleet.run(plan)
    result = Result(directory)
    found = {f["code"]: f for f in result.run["findings"] if f["level"] != "NOTE"}
    require(set(found) == {"SLOW_MEMBER", "STRIPE_LOSS"}, f"found {found}\n{done.stdout}")
    require(found["SLOW_MEMBER"]["target"] == "b", f"the slow one is {found['SLOW_MEMBER']}")
    require_near(found["SLOW_MEMBER"]["figures"]["ratio"], SLOW / RATE, 0.1, "ratio of b")
    efficiency = 3 * SLOW / (2 * RATE + SLOW)
    require_near(found["STRIPE_LOSS"]["figures"]["efficiency"], efficiency, 0.1, "efficiency")
    require("'b'" in found["STRIPE_LOSS"]["evidence"], found["STRIPE_LOSS"]["evidence"])
    gate = result.run["gates"][0]
    require(gate["state"] == "FAIL", f"the gate is {gate}")
    require_near(gate["value"], 100 * efficiency, 0.1, "the gate's efficiency")
    done.expect(1)
