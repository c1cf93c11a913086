"""An agent of another build, one of four: both versions are printed and nothing is started anywhere."""

from disks import xfs_disk
from faults import HOSTS, disk_writes, require_as_before, require_untouched
from hosts import Fleet
from lab import require
from plans import fleet_plan


def test(lab):
    versions = [lab.call(lab.build / name, "--version").removeprefix("muster-agent ")
                for name in ("muster-agent", "muster-agent-other")]
    require(versions[0] != versions[1] and all("protocol" in text for text in versions),
            f"versions are {versions}")
    fleet = Fleet(lab, HOSTS)
    other = fleet.hosts[1]
    for host in fleet.hosts:
        host.start_agent(xfs_disk(lab, f"disk-{host.address}"),
                         "muster-agent-other" if host is other else "muster-agent")
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "64MiB"}]
    before = disk_writes(fleet.hosts)
    done, directory = fleet.run(fleet_plan(fleet, "other", phases))
    done.expect(6)
    require(done.seconds < 3, f"it took {done.seconds:.1f} s to say so")
    for version in versions:
        require(version in done.text, f"'{version}' is not printed:\n{done.text}")
    require("PROTOCOL_MISMATCH" in done.text, f"what it is is not said:\n{done.text}")
    for host in fleet.hosts:
        require((f"host '{host.address}'" in done.text) == (host is other),
                f"which host is not said:\n{done.text}")
    require(not directory.exists(), "a run that did not begin has a result")
    require_untouched(before)
    other.agent.end()
    other.start_agent(other.disk)
    require_as_before(fleet)
