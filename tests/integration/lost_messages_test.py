"""A connection that loses everything for two seconds and is then reset costs no message, whichever it
was: the run ends as it would have, a few seconds later. One of two hosts is behind such a proxy."""

import signal
import socket
import time

from lab import require, wait_for
from plans import flow, write_plan
from proxy import Proxy
from results import Result, host_of

CUT_S = 2
# The first heartbeat behind a reset tells what is missing; the agent's answers that within half a
# second. Twice, as the machine may be busy.
AGAIN_S = 4
# Where processors are short all takes longer, which those that lose nothing, beside them, show in
# part only.
BUSY_S = 2
JOIN_AGAIN_S = 3
NULL = {"null": True, "size": "1GiB"}
LOAD = {"op": "write", "targets": ["n"], "workers": 1, "rate": "500 iops"}
# What is lost: the last of each. The first prepare only asks whether the phase could be run, and an
# abort ends that.
MOMENTS = (["lease"], ["leased"], ["prepare"], ["prepare", "prepare"], ["ready"],
           ["ready", "ready"], ["abort"], ["done"], ["done", "ack"], ["release"], ["released"])
AT_ONCE = 4
WRONG = {"HOST_LOST", "HOST_BROKEN", "HOST_REFUSED", "NOT_RELEASED", "RUN_INCOMPLETE"}


def test(lab):
    pairs = [Pair(lab, number) for number in range(AT_ONCE)]
    other = Pair(lab, AT_ONCE + 1)
    runs = [(lost(moment), max(CUT_S, JOIN_AGAIN_S) + AGAIN_S) for moment in MOMENTS]
    # Nobody starts alone then: all are stopped, and start together.
    runs += [([("start", CUT_S)], CUT_S + AGAIN_S),
             ([("start", CUT_S), ("late", CUT_S)], 2 * (CUT_S + AGAIN_S))]
    for first in range(0, len(runs), AT_ONCE):
        group = runs[first:first + AT_ONCE]
        plain = other.begin_run([])
        begun = [pair.begin_run(steps) for pair, (steps, _) in zip(pairs, group)]
        longest = plain.end(60) + BUSY_S + max(more for _, more in group)
        for run in begun:
            run.end(longest)
    refused(pairs[0])
    interrupted(pairs[0])
    with_keys(lab)


def lost(kinds):
    return [(kind, 0) for kind in kinds[:-1]] + [(kinds[-1], CUT_S)]


def free_port(address):
    with socket.create_server((address, 0)) as server:
        return server.getsockname()[1]


def require_soon(what, took, bound):
    print(f"{what}: {took:.1f} s", flush=True)
    require(took < bound, f"{what}: {took:.1f} s, the bound is {bound:.1f} s")


class Pair:
    """Two agents on the loopback, without keys unless `keys`: a frame's kind is to be read."""

    def __init__(self, lab, number, keys=False):
        self.lab = lab
        addresses = self.addresses(number)
        self.lost, self.fine = ((address, free_port(address)) for address in addresses)
        self.agents = [self.start_agent(*place, keys) for place in (self.lost, self.fine)]
        self.proxy = Proxy((self.lost[0], 0), self.lost)
        self.proxy.start()
        lab.undo.callback(self.proxy.close)
        self.hosts = [{"host": self.lost[0], "port": self.proxy.port},
                      {"host": self.fine[0], "port": self.fine[1]}]
        if keys:
            for host in self.hosts:
                host["key"] = host["host"]

    @staticmethod
    def addresses(number):
        return [f"127.0.0.{2 * number + which}" for which in (1, 2)]

    def start_agent(self, address, port, keys):
        name = f"agent-{address}-{port}"
        config = self.lab.directory / f"{name}.yaml"
        config.write_text(f"listen: tcp://{address}:{port}\n"
                          f"spool: {flow(self.lab.directory / f'spool-{name}')}\n"
                          + (f"key: {flow(address)}\ncontrollers: [controller]\n" if keys else ""))
        agent = self.lab.start(name, [self.lab.build / "muster-agent", "--config", config])
        wait_for(lambda: "listening" in agent.output()[0], 20, f"{name} listens")
        return agent

    def begin(self, name, phases, *arguments, hosts=None, target=None):
        plan = write_plan(self.lab, f"{name}-{len(self.lab.programs)}", hosts or self.hosts,
                          {"n": target or NULL}, phases)
        directory = self.lab.directory / f"run-{len(self.lab.programs)}"
        return self.lab.muster("run", plan, "--out", directory, *arguments), directory

    def begin_run(self, steps):
        return Run(self, steps)


class Run:
    """Of two phases, the first of which loses what it is to lose."""

    PHASES = ("one", "two")

    def __init__(self, pair, steps):
        self.pair, self.steps, self.cuts = pair, steps, pair.proxy.cuts
        pair.proxy.cut_at(steps)
        phases = [{"name": phase, "runtime": "1s", **LOAD} for phase in self.PHASES]
        self.program, self.directory = pair.begin("run", phases)

    def end(self, bound):
        """Answers how long it took in all, from its begin to now."""
        done = self.program.wait(60).expect(0)
        wanted = sum(1 for _, seconds in self.steps if seconds)
        cuts = self.pair.proxy.cuts - self.cuts
        require(cuts == wanted, f"{self.steps}: cut {cuts} times")
        require_soon(self.steps, done.seconds, bound)
        require_whole(done, self.directory, self.PHASES)
        once_more = "a host had the start instant too late, once more" in done.stderr
        require(once_more == (("start", CUT_S) in self.steps), done.stderr)
        return done.seconds


def require_whole(done, directory, phases):
    result = Result(directory)
    result.require_sums()
    for name in phases:
        phase = result.phase(name)
        for part in phase["hosts"]:
            require(part["state"] == "complete", f"{part['host']}: {part['state']} {part['text']}")
        require(phase["cluster"] is not None, f"phase {name} is not whole")
    require(not WRONG & set(result.codes()), f"{result.codes()}")
    for words in ("stuck", "is lost"):
        require(words not in done.text, done.text)


def refused(pair):
    """`failed` is lost: refused in the words of the host all the same."""
    pair.proxy.cut_at([("failed", CUT_S)])
    program, directory = pair.begin("refused", [{"name": "one", "op": "write", "targets": ["n"],
                                                 "size": "1MiB"}],
                                    target={"path": "/nowhere", "size": "1MiB"},
                                    hosts=pair.hosts[:1])
    done = program.wait(60).expect(5)
    require(pair.proxy.is_through(), "not cut")
    require("allow_paths" in done.stderr, done.stderr)
    require(Result(directory).outcome == "REFUSED", done.text)


def interrupted(pair):
    """`abort` is lost in mid-phase: the load ends once the next has come."""
    program, directory = pair.begin("interrupted", [{"name": "one", "runtime": "40s", **LOAD}])
    wait_for(lambda: "phase one" in program.output()[1], 20, "the phase begins")
    time.sleep(2)
    pair.proxy.cut_at([("abort", CUT_S)])
    began = time.monotonic()
    program.signal(signal.SIGINT)
    done = program.wait(40).expect(3)
    require(pair.proxy.is_through(), "not cut")
    require_soon("interrupted", time.monotonic() - began, CUT_S + AGAIN_S + BUSY_S)
    result = Result(directory)
    require("INTERRUPTED" in result.codes() and not WRONG & set(result.codes()),
            f"{result.codes()}")
    part = host_of(result.phase("one"), pair.lost[0])
    require(part["state"] == "aborted" and "stuck" not in done.text, done.text)


def with_keys(lab):
    """In the middle of a load, and over its end: what the agents count is complete."""
    number = AT_ONCE
    lab.call(lab.build / "muster", "keygen", "controller", *Pair.addresses(number))
    pair = Pair(lab, number, keys=True)
    program, directory = pair.begin("keys", [{"name": "one", "runtime": "3s", **LOAD}], "--key",
                                    "controller")
    wait_for(lambda: "phase one" in program.output()[1], 20, "the phase begins")
    time.sleep(2)
    pair.proxy.cut(CUT_S + 1)
    done = program.wait(60).expect(0)
    require(pair.proxy.is_through(), "not cut")
    require_whole(done, directory, ["one"])
