"""An agent of another build: both versions are printed and nothing is started anywhere."""

from disks import xfs_disk
from hosts import Fleet
from lab import require
from plans import fleet_plan


def test(lab):
    versions = [lab.call(lab.build / name, "--version").removeprefix("muster-agent ")
                for name in ("muster-agent", "muster-agent-other")]
    require(versions[0] != versions[1] and all("protocol" in text for text in versions),
            f"versions are {versions}")
    fleet = Fleet(lab, 2)
    for host, binary in zip(fleet.hosts, ("muster-agent", "muster-agent-other")):
        host.start_agent(xfs_disk(lab, f"disk-{host.address}"), binary)
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "64MiB"}]
    before = [host.disk.counters()[1] for host in fleet.hosts]
    done, _ = fleet.run(fleet_plan(fleet, "other", phases))
    done.expect(6)
    for version in versions:
        require(version in done.text, f"'{version}' is not printed:\n{done.text}")
    require(fleet.hosts[1].address in done.text, f"which host is not said:\n{done.text}")
    for host, was in zip(fleet.hosts, before):
        require(host.disk.files() == [], f"{host.address}: made {host.disk.files()}")
        moved = host.disk.counters()[1] - was
        require(moved < 4 << 20, f"{host.address}: {moved} bytes were written")
