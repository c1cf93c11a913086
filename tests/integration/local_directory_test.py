"""What a local agent has on the disk is this user's alone: a directory that another user may put his own
into the place of is refused, and nothing that he had there is followed, written or removed. The files of an
agent that was killed are removed at the run's end by another."""

import os
import signal
import time

from lab import require, require_root, require_tools, wait_for
from plans import write_plan

NOBODY = 65534


def test(lab):
    require_root()
    data = lab.directory / "data"
    data.mkdir()
    others = lab.directory / "others"
    others.mkdir()
    precious = others / "precious"
    precious.write_text("precious")
    for name, what, words in (("open", as_open, "other users may put"),
                              ("owned", as_owned, "this user's alone"),
                              ("link", as_link, "this user's alone")):
        base = lab.directory / name
        base.mkdir()
        agents = what(base, others)
        done = lab.muster("run", plan_of(lab, name, data, **agents)).wait(30).expect(6)
        require(words in done.stderr, f"{name}: '{words}' is not said:\n{done.stderr}")
        require(sorted(others.iterdir()) == [precious] and precious.read_text() == "precious",
                f"{name}: another's directory was changed: {list(others.iterdir())}")
    sticky = lab.directory / "sticky"
    sticky.mkdir()
    sticky.chmod(0o1777)
    lab.muster("run", plan_of(lab, "sticky", data, scratch=sticky)).wait(30).expect(0)
    require(not list(sticky.iterdir()), f"left: {list(sticky.iterdir())}")
    killed(lab, data)
    not_removed(lab, data)


def plan_of(lab, name, data, runtime="1s", **agents):
    return write_plan(lab, name, [{"local": 1, **agents}], {"file": {"path": data, "size": "8MiB"}},
                      [{"name": "p", "op": "write", "targets": ["file"], "runtime": runtime}])


def as_open(base, _others):
    base.chmod(0o777)
    return {"scratch": base}


def as_owned(base, _others):
    (base / "local1").mkdir(mode=0o700)
    os.chown(base / "local1", NOBODY, NOBODY)
    return {"spool": base}


def as_link(base, others):
    (base / "local1").symlink_to(others)
    return {"spool": base}


def killed(lab, data):
    """Outside of its scratch directory: only its journal knows the file."""
    directory = lab.directory / "killed.result"
    program = lab.muster("run", plan_of(lab, "killed", data, "30s"), "--out", directory)
    wait_for(lambda: list(data.glob("muster.*")), 30, "the file")
    wait_for(lambda: "phase p" in program.output()[1], 30, "the phase")
    time.sleep(1)  # under load
    agent = next(pid for pid in lab.processes() if pid != program.pid)
    os.kill(agent, signal.SIGKILL)
    done = program.wait(60).expect(3)
    require("HOST_LOST" in done.text, f"the loss is not said:\n{done.text}")
    require(not list(data.iterdir()), f"the file is left: {list(data.iterdir())}")
    lab.muster("run", plan_of(lab, "next", data)).wait(30).expect(0)
    require(not list(data.iterdir()), f"the next one's is left: {list(data.iterdir())}")


def not_removed(lab, data):
    """What cannot be removed is said, and what knows of it stays."""
    require_tools("chattr")
    before = set(lab.temporary.glob("muster-*"))
    program = lab.muster("run", plan_of(lab, "held", data, "60s"))
    wait_for(lambda: "phase p" in program.output()[1], 30, "the phase")
    file = wait_for(lambda: list(data.glob("muster.*")), 30, "the file")[0]
    lab.call("chattr", "+a", data)
    lab.undo.callback(lab.call, "chattr", "-a", data)
    program.signal(signal.SIGINT)
    done = program.wait(60).expect(3)
    kept = [path for path in lab.temporary.glob("muster-*/muster-*-local1")
            if path.parent not in before]
    require("FILE_LEFT" in done.stdout and str(file) in done.stdout, done.text)
    require(len(kept) == 1 and str(kept[0]) in done.stderr, f"{kept} is not said:\n{done.stderr}")
    require(str(file) in (kept[0] / "spool" / "made.journal").read_text(), "the journal is another")
