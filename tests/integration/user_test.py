"""An agent with `user:` is that user, keeps two capabilities and no more, reads a key that only root
may read, and does I/O to a file system and a device by the user's own rights."""

import os
import pwd
import stat

from disks import xfs_disk
from hosts import Fleet
from lab import require, require_tools
from plans import fleet_plan, write_plan
from results import Result

USER = "nobody"
CAP_IPC_LOCK, CAP_SYS_NICE = 14, 23


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def require_little(pid, uid):
    """Every thread of it."""
    own = int(status_of(os.getpid())["CapEff"], 16)
    wanted = own & (1 << CAP_IPC_LOCK | 1 << CAP_SYS_NICE)
    for thread in os.listdir(f"/proc/{pid}/task"):
        status = status_of(f"{pid}/task/{thread}")
        require(status["Uid"].split() == [str(uid)] * 4, f"thread {thread}: uid {status['Uid']}")
        for name in ("CapEff", "CapPrm"):
            require(int(status[name], 16) == wanted, f"thread {thread}: {name} {status[name]}")
        require(int(status["CapInh"], 16) == 0, f"thread {thread}: inherits {status['CapInh']}")
        require(status["NoNewPrivs"] == "1", f"thread {thread}: may gain privileges")


def test(lab):
    require_tools("setpriv")
    fleet = Fleet(lab, 1)
    host, uid = fleet.hosts[0], pwd.getpwnam(USER).pw_uid
    disk, raw = xfs_disk(lab, "disk"), xfs_disk(lab, "raw")
    os.chown(disk.mount, uid, 0)
    spool = lab.directory / f"spool-{host.address}"
    spool.mkdir()
    os.chown(spool, uid, 0)
    agent = host.start_agent(disk, devices=[raw.device], user=USER)
    phases = [{"name": "write", "op": "write", "targets": ["disk"], "size": "16MiB"},
              {"name": "read", "op": "read", "targets": ["disk"], "size": "16MiB"}]
    done, directory = fleet.run(fleet_plan(fleet, "little", phases))
    done.expect(0)
    Result(directory).require_sums()
    require_little(agent.pid, uid)
    device(lab, fleet, host, raw, uid)
    agent.end()
    started_as_user(host, uid)


def started_as_user(host, uid):
    """By a service that makes it that user and gives it more than it needs."""
    given = "+chown,+dac_override,+sys_admin,+ipc_lock,+sys_nice"
    agent = host.start_agent(None, user=USER, secure=False, before=(
        "setpriv", "--reuid", USER, "--clear-groups", "--inh-caps", given, "--ambient-caps", given))
    require_little(agent.pid, uid)


def device(lab, fleet, host, raw, uid):
    """A device that the user may not open is refused; one that is the user's is read."""
    plan = write_plan(lab, "raw", [{"host": host.address}], {"raw": {"device": raw.device}},
                      [{"name": "read", "op": "read", "targets": ["raw"], "size": "128MiB"}])
    before = os.stat(raw.device)
    require(stat.S_IMODE(before.st_mode) & 0o7 == 0, f"{raw.device} is open to everybody")
    done, _ = fleet.run(plan)
    done.expect(5)
    require("Permission denied" in done.text, done.text)
    lab.undo.callback(os.chown, raw.device, before.st_uid, before.st_gid)
    os.chown(raw.device, uid, before.st_gid)
    done, _ = fleet.run(plan)
    done.expect(0)
