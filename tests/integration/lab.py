"""lab.py - one test's own corner of the machine, left as it was found.

A Lab has a scratch directory, starts processes and undoes in reverse whatever was made, also when
the test fails, runs out of time or is ended by a signal. What a run before this one left when it
was killed is removed first.
"""

import contextlib
import ctypes
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import time

SKIP_CODE = 77
MARK = "MUSTER_TEST_LAB"
SANITIZER_WORDS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:",
                   "Assertion ")


class Skip(Exception):
    """The machine lacks something; the text says what."""


class Failed(AssertionError):
    """A promise does not hold; the text says which and with what figures."""


def require(condition, text):
    if not condition:
        raise Failed(text)


def require_root():
    if platform.system() != "Linux":
        raise Skip("needs Linux")
    if os.geteuid() != 0:
        raise Skip("needs root")


def require_tools(*tools):
    for tool in tools:
        if shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            raise Skip(f"needs {tool}: scripts/deps installs it")


def wait_for(condition, seconds, what):
    """Asks `condition` again and again until it answers something true, and answers that."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise Failed(f"{what}: not within {seconds} s")
        time.sleep(0.02)


class Ended:
    """What a program did: exit code, its two outputs, and how long it took."""

    def __init__(self, command, code, stdout, stderr, seconds):
        self.command, self.code = command, code
        self.stdout, self.stderr, self.seconds = stdout, stderr, seconds

    @property
    def text(self):
        return self.stdout + self.stderr

    def expect(self, code):
        require(self.code == code,
                f"exit {self.code} instead of {code} after {self.seconds:.1f} s:"
                f" {' '.join(self.command)}\n{self.stdout}\n{self.stderr}")
        return self


class Program:
    """A program that is running, its outputs in files."""

    def __init__(self, lab, name, command, namespace=None, cwd=None):
        self.command = [str(word) for word in command]
        self.out = lab.directory / f"{name}.stdout"
        self.err = lab.directory / f"{name}.stderr"
        self.began = time.monotonic()
        enter = ["nsenter", f"--net=/run/netns/{namespace}"] if namespace else []
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            self.process = subprocess.Popen(
                enter + self.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                cwd=cwd or lab.directory, env=lab.environment(), start_new_session=True)
        self.pid = self.process.pid

    def is_running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def signal_group(self, number):
        """As a terminal does for Ctrl-C."""
        os.killpg(self.pid, number)

    def output(self):
        return self.out.read_text(errors="replace"), self.err.read_text(errors="replace")

    def wait(self, seconds):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Failed(f"still running after {seconds} s: {' '.join(self.command)}\n"
                         + "\n".join(self.output())) from None
        took = time.monotonic() - self.began
        return Ended(self.command, code, *self.output(), took)

    def end(self):
        """Asks, then kills; for cleaning up."""
        with contextlib.suppress(ProcessLookupError):
            for number in (signal.SIGCONT, signal.SIGTERM, signal.SIGKILL):
                if not self.is_running():
                    break
                os.killpg(self.pid, number)
                if number == signal.SIGCONT:
                    continue
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(10)
            os.killpg(self.pid, signal.SIGKILL)


class Lab:
    def __init__(self, build, name):
        self.build = pathlib.Path(build).resolve()
        self.source = pathlib.Path(__file__).resolve().parents[2]
        self.base = self.build / "integration"
        self.prefix = f"mt{os.getpid()}"
        self.directory = self.base / f"{name}-{os.getpid()}"
        self.temporary = self.directory / "tmp"
        self.undo = contextlib.ExitStack()
        self.programs = []

    def __enter__(self):
        self.base.mkdir(exist_ok=True)
        sweep(self.base)
        self.undo.callback(shutil.rmtree, self.directory, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        return self

    def __exit__(self, kind, *_):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
            signal.signal(number, signal.SIG_IGN)
        if kind is not None and kind is not Skip:
            self.print_outputs()
        self.end_programs()
        self.undo.close()

    def end_programs(self):
        for program in reversed(self.programs):
            program.end()
        kill_all(self.processes())

    def environment(self):
        environment = dict(os.environ)
        environment.update({MARK: self.prefix, "TMPDIR": str(self.temporary), "LC_ALL": "C",
                            "MUSTER_KEYS": str(self.directory / "keys")})
        environment["PATH"] += ":/usr/sbin:/sbin"
        return environment

    def start(self, name, command, namespace=None, cwd=None):
        name = f"{len(self.programs)}-{name}"
        program = Program(self, name, command, namespace, cwd)
        self.programs.append(program)
        return program

    def call(self, *command):
        """A tool of the system that has to succeed; answers what it printed."""
        try:
            done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, timeout=60, check=False,
                                  env=self.environment())
        except FileNotFoundError:
            raise Skip(f"needs {command[0]}: scripts/deps installs it") from None
        require(done.returncode == 0, f"{' '.join(done.args)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def muster(self, *arguments, namespace=None, cwd=None):
        return self.start("muster", [self.build / "muster", *arguments], namespace, cwd)

    def processes(self):
        """Every process that descends from this lab and still lives, wherever its parent is."""
        return marked_processes(self.prefix)

    def require_nothing_left(self, but=()):
        left = [pid for pid in self.processes() if pid not in but]
        require(not left, f"processes are left: {[describe(pid) for pid in left]}")
        files = sorted(str(path) for path in self.temporary.rglob("*"))
        require(not files, f"files are left: {files}")

    def require_no_sanitizer_words(self):
        for program in self.programs:
            text = "".join(program.output())
            for word in SANITIZER_WORDS:
                require(word not in text, f"{' '.join(program.command)}:\n{text}")

    def print_outputs(self):
        for program in self.programs:
            stdout, stderr = program.output()
            print(f"---- {' '.join(program.command)}: exit {program.process.poll()}\n"
                  f"{stdout}{stderr}", flush=True)


def marked_processes(prefix):
    mark = f"{MARK}={prefix}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            with open(f"/proc/{entry}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.append(int(entry))
    return found


def kill_all(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def describe(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return f"{pid}: {file.read().replace(bytes(1), b' ').decode(errors='replace')}"
    return str(pid)


def is_alive(pid):
    return os.path.exists(f"/proc/{pid}")


def sweep(base):
    """Removes what labs left here that were killed: processes, mounts, loop devices, namespaces,
    files."""
    for directory in base.iterdir():
        pid = directory.name.rpartition("-")[2]
        if not pid.isdigit() or is_alive(pid):
            continue
        kill_all(marked_processes(f"mt{pid}"))
        mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
        for line in reversed(mounts):
            where = line.split()[1]
            if where.startswith(f"{directory}/"):
                ctypes.CDLL(None).umount2(where.encode(), 2)
        for image in directory.glob("*.img"):
            loops = subprocess.run(["losetup", "-n", "-O", "NAME", "-j", image], text=True,
                                   capture_output=True, check=False).stdout.split()
            for loop in loops:
                subprocess.run(["losetup", "-d", loop], check=False)
        for namespace in pathlib.Path("/run/netns").glob(f"mt{pid}[!0-9]*"):
            subprocess.run(["ip", "netns", "del", namespace.name], check=False)
        shutil.rmtree(directory, ignore_errors=True)
