"""Local agents of a controller that is killed: what they measured stays where the journal says, is
collected and is exactly that, and then nothing is left behind."""

import os
import shutil
import signal

from lab import require, wait_for
from plans import write_plan
from results import Result, host_of, moved_by
from spools import LocalSpool

HOSTS = ("local1", "local2")
READ = 4  # its number: a check of each phase has the first two


def test(lab):
    data = lab.directory / "data"
    data.mkdir()
    in_order(lab, data)
    collected(lab, data)
    resumed(lab, data)
    agents_killed_too(lab, data)
    one_agent_killed(lab, data)
    spool_that_stays(lab, data)
    out_of_reach(lab, data)


def plan_of(lab, name, data, runtime="30s", fleet=None, **agents):
    phases = [{"name": "write", "op": "write", "targets": ["file"], "runtime": "1s"},
              {"name": "read", "op": "read", "targets": ["file"], "runtime": runtime}]
    return write_plan(lab, name, [{"local": 2, **agents}],
                      {"file": {"path": data, "size": "16MiB"}}, phases, fleet=fleet)


def begin(lab, plan, below=None):
    """Answers when its second phase is under way, and both agents' spools have something of it."""
    before = set(places(lab, below))
    directory = lab.directory / f"{plan.stem}.result"
    program = lab.muster("run", plan, "--out", directory)
    wait_for(lambda: "phase read" in program.output()[1], 30, "the second phase")

    def both_have_some():
        have = [place for place in set(places(lab, below)) - before
                for path in place.glob(f"spool/results/*/phase.{READ}.*")
                if LocalSpool(place).moved(path)[0] > 0]
        return len(have) == len(HOSTS)

    wait_for(both_have_some, 30, "what is measured in the spools")
    return program, directory


def kill(lab, plan, agents_too=False, below=None):
    program, directory = begin(lab, plan, below)
    for pid in lab.processes() if agents_too else []:
        if pid != program.pid:
            os.kill(pid, signal.SIGKILL)
    program.signal(signal.SIGKILL)
    program.wait(5)
    require(not directory.exists(), "a killed run has a result")
    return directory


def places(lab, below, host="*"):
    """Where local agents have theirs; `below`: a spool that stays."""
    return list((below or lab.temporary).glob(host if below else f"muster-*/muster-*-{host}"))


def spools(lab, below=None):
    """By host, once the agents have ended."""
    wait_for(lambda: not lab.processes(), 5, "local agents end")
    found = {}
    for host in HOSTS:
        directories = places(lab, below, host)
        require(len(directories) == 1, f"{host}: directories {directories}")
        require(directories[0].stat().st_mode & 0o777 == 0o700, "others can look into it")
        found[host] = LocalSpool(directories[0])
    return found


def kept_of(spools_by_host, number=READ):
    """Bytes that each measured in a phase, and whether its end is there."""
    kept = {}
    for host, spool in spools_by_host.items():
        require(len(spool.runs()) == 1, f"{host} keeps runs {spool.runs()}")
        kept[host] = next(spool.moved(path) for path in spool.phases(spool.runs()[0])
                          if path.name.startswith(f"phase.{number}."))
        require(kept[host][0] > 0, f"{host} keeps nothing")
    return kept


def require_collected(result, kept, state):
    result.require_sums()
    require(result.phase("write")["cluster"] is not None, "a whole phase has lost its figure")
    phase = result.phase("read")
    for host, (measured, _) in kept.items():
        moved = moved_by(phase, host, "bytes")
        require(moved == measured, f"{host}: collected {moved}, measured {measured}")
        require(host_of(phase, host)["state"] == state, f"{host_of(phase, host)}")
    said = [finding["host"] for finding in result.run["findings"]
            if finding["code"] == "COLLECTED"]
    require(said == sorted(kept), f"collected is said of {said}")
    require("NOT_COLLECTED" not in result.codes(), f"{result.codes()}")


def require_nothing(lab, data):
    wait_for(lambda: not lab.processes(), 5, "local agents end")
    lab.require_nothing_left()
    require(not list(data.iterdir()), f"test files are left: {list(data.iterdir())}")


def in_order(lab, data):
    directory = lab.directory / "order.result"
    lab.muster("run", plan_of(lab, "order", data, "1s"), "--out", directory).wait(60).expect(0)
    Result(directory)
    require_nothing(lab, data)


def collected(lab, data):
    """At once, also while the agents are still ending."""
    directory = kill(lab, plan_of(lab, "collected", data))
    done = lab.muster("collect", directory).wait(60).expect(3)
    result = Result(directory)
    require("did not join" not in done.text and "CONTROLLER_LOST" in result.codes(), done.text)
    require_nothing(lab, data)

    directory = kill(lab, plan_of(lab, "exact", data))
    kept = kept_of(spools(lab))
    require(not list(data.iterdir()), "agents leave test files behind")
    require(all(is_whole for _, is_whole in kept.values()), f"ends: {kept}")
    lab.muster("collect", directory).wait(60).expect(3)
    require_collected(Result(directory), kept, "aborted")
    lab.muster("verify", directory).wait(10).expect(4)
    require_nothing(lab, data)
    again = lab.muster("run", "--resume", directory, "--quiet")
    wait_for(lambda: len(list(data.iterdir())) == 2, 30, "it goes on")
    again.signal(signal.SIGINT)
    again.wait(30).expect(3)
    require_nothing(lab, data)


def resumed(lab, data):
    """Without having been collected: the trial is run again, and what was kept of it goes."""
    directory = kill(lab, plan_of(lab, "resumed", data, "4s"))
    before = {host: spool.results for host, spool in spools(lab).items()}
    program = lab.muster("run", "--resume", directory)
    wait_for(lambda: "phase read" in program.output()[1], 30, "it goes on")
    require(all(results.exists() for results in before.values()), "agents have other directories")
    program.wait(60).expect(0)
    result = Result(directory)
    result.require_sums()
    result.require_all_active("read")
    require_nothing(lab, data)


def agents_killed_too(lab, data):
    """As by a reset of the machine: test files are left, and go when it is collected."""
    directory = kill(lab, plan_of(lab, "reset", data), agents_too=True)
    kept = kept_of(spools(lab))
    require(len(list(data.iterdir())) == 2, "the agents were to be killed with their files there")
    lab.muster("collect", directory).wait(60).expect(3)
    require_collected(Result(directory), kept, "lost")
    require_nothing(lab, data)


def one_agent_killed(lab, data):
    """The controller lives, and its run ends without that agent's part."""
    limits = {"suspect_after": "1s", "dead_after": "3s", "on_host_loss": "continue"}
    program, directory = begin(lab, plan_of(lab, "one", data, "7s", fleet=limits))
    lock = next(lab.temporary.glob("muster-*/muster-*-local2")) / "spool" / "lock"
    os.kill(int(lock.read_text()), signal.SIGKILL)
    done = program.wait(60).expect(3)
    require("results are left in" in done.stderr, f"it is not said:\n{done.text}")
    kept = kept_of({"local2": LocalSpool(lock.parent.parent)})
    lab.muster("collect", directory).wait(60).expect(3)
    require_collected(Result(directory), kept, "lost")
    require_nothing(lab, data)


def spool_that_stays(lab, data):
    below = lab.directory / "spools"
    directory = kill(lab, plan_of(lab, "stays", data, spool=below), below=below)
    kept = kept_of(spools(lab, below))
    lab.muster("collect", directory).wait(60).expect(3)
    require_collected(Result(directory), kept, "aborted")
    for host, spool in spools(lab, below).items():
        require(not spool.runs(), f"{host} keeps {spool.runs()}")
    require_nothing(lab, data)


def out_of_reach(lab, data):
    """Directories that are gone, or not this user's alone; a journal that is another user's."""
    directory = kill(lab, plan_of(lab, "gone", data))
    found = {host: spool.directory for host, spool in spools(lab).items()}
    shutil.rmtree(found["local1"])
    found["local2"].chmod(0o755)
    done = lab.muster("collect", directory).wait(60).expect(3)
    for words in ("is gone or on another machine", "that is this user's alone"):
        require(words in done.stderr, f"'{words}' is not said:\n{done.text}")
    require("NOT_COLLECTED" in Result(directory).codes(), f"{Result(directory).codes()}")
    found["local2"].chmod(0o700)
    if os.geteuid() == 0:
        os.chown(directory / "journal.bin", 1, -1)
        done = lab.muster("collect", directory).wait(60).expect(2)
        require("belongs to user 1" in done.stderr, f"it is believed:\n{done.text}")
        os.chown(directory / "journal.bin", 0, -1)
    require(LocalSpool(found["local2"]).runs(), "what was not collected is gone")
    kept = kept_of({"local2": LocalSpool(found["local2"])})
    lab.muster("collect", directory).wait(60).expect(3)
    moved = moved_by(Result(directory).phase("read"), "local2", "bytes")
    require(moved == kept["local2"][0], f"collected {moved}, measured {kept}")
    require_nothing(lab, data)
