"""What a run says is taken by nobody: a pipe that is full, a terminal that was stopped, a reader that
is gone. The run goes on, ends in its time, and its result is whole; so do its agents, whose words go
the same way."""

import fcntl
import os
import subprocess
import termios
import time

from lab import require, wait_for
from plans import write_plan
from results import Result

RUNTIME_S = 2
ENDS_S = 5    # that what is left to say is waited for
SLACK_S = 30  # of a machine with much to do: a run that hangs does so for ever


def test(lab):
    plan = write_plan(lab, "silent", [{"local": 2}], {"nothing": {"null": True, "size": "64MiB"}},
                      [{"name": "p", "op": "write", "targets": ["nothing"],
                        "runtime": f"{RUNTIME_S}s"}],
                      fleet={"suspect_after": "1s", "dead_after": "3s"})
    full_pipe(lab, plan)
    errors_of_a_plan(lab)
    stopped_terminal(lab, plan)
    reader_gone(lab, plan)


def run(lab, plan, name, stderr, stdout=subprocess.DEVNULL):
    """Answers the exit code."""
    began = time.monotonic()
    process = subprocess.Popen([lab.build / "muster", "run", plan, "--out", lab.directory / name],
                               stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                               env=lab.environment())
    most = RUNTIME_S + ENDS_S + SLACK_S
    try:
        code = process.wait(most)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
        raise AssertionError(f"{name}: the run has not ended after {most} s") from None
    print(f"{name}: exit {code} after {time.monotonic() - began:.1f} s")
    result = Result(lab.directory / name)
    result.require_sums()
    result.require_all_active("p")
    require("LATE_HEARTBEAT" not in result.codes(), f"agents heard nothing: {result.codes()}")
    # They end by themselves; nothing is left of them.
    wait_for(lambda: not lab.processes(), 10, f"{name}: agents end")
    return code


def full():
    """Both ends of a pipe that takes nothing more."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"." * 4096)
    except BlockingIOError:
        pass
    os.set_blocking(writer, True)
    return reader, writer


def errors_of_a_plan(lab):
    reader, writer = full()
    (lab.directory / "wrong.yaml").write_text("nothing: of it\n")
    done = subprocess.run([lab.build / "muster", "check", lab.directory / "wrong.yaml"],
                          stdin=subprocess.DEVNULL, stderr=writer, stdout=subprocess.DEVNULL,
                          timeout=ENDS_S + SLACK_S, check=False, env=lab.environment())
    require(done.returncode == 2, f"exit {done.returncode}")
    os.close(reader)
    os.close(writer)


def full_pipe(lab, plan):
    reader, writer = full()
    code = run(lab, plan, "full", writer)
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    require(not flags & os.O_NONBLOCK, "the pipe is another than the shell's had been")
    require(code == 0, f"exit {code}")
    os.close(reader)
    os.close(writer)


def stopped_terminal(lab, plan):
    controlling, terminal = os.openpty()
    termios.tcflow(terminal, termios.TCOOFF)
    code = run(lab, plan, "stopped", terminal)
    require(code == 0, f"exit {code}")
    os.close(terminal)
    os.close(controlling)


def reader_gone(lab, plan):
    """As `muster run | head -1`, when head is through: the run's end is known by its code."""
    reader, writer = os.pipe()
    os.close(reader)
    code = run(lab, plan, "gone", subprocess.DEVNULL, writer)
    os.close(writer)
    require(code == 6, f"exit {code}: the report was not taken")
