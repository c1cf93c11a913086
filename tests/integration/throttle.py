"""throttle.py - disks made slower: what a cgroup may read from and write to a device in a second.

cgroup v1 blkio or v2 io.max, whichever the machine has. A process counts from when it is in the
group on, so that agents are started there. Direct I/O only: what is written back later is not the
process's any more.
"""

import contextlib
import os
import pathlib
import sys
import time

from lab import Skip, require_root

ROOT = pathlib.Path("/sys/fs/cgroup")
MB = 1000 * 1000


class Throttle:
    """A group of its own; `before` is what a command stands behind to be in it."""

    def __init__(self, lab, name):
        require_root()
        self.lab = lab
        self.is_v1 = (ROOT / "blkio" / "blkio.throttle.read_bps_device").exists()
        if self.is_v1:
            base = ROOT / "blkio"
        elif "io" in read_words(ROOT / "cgroup.controllers"):
            base = ROOT
            (ROOT / "cgroup.subtree_control").write_text("+io")
        else:
            raise Skip("needs cgroup v1 blkio throttling or v2 io.max")
        self.group = base / f"{lab.prefix}-{name}"
        self.group.mkdir()
        lab.undo.callback(remove, self.group)

    @property
    def before(self):
        return ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$0" "$@"']

    def take(self, pid):
        """A process that runs already. One that waits in the device cannot be ended by any signal:
        take the limit off before."""
        (self.group / "cgroup.procs").write_text(str(pid))

    def limit(self, device, read=None, write=None):
        """Bytes in a second; None: as much as it can."""
        for path, text in self.settings(device, read, write):
            path.write_text(text)

    def settings(self, device, read, write):
        status = os.stat(device)
        number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
        if self.is_v1:
            return [(self.group / f"blkio.throttle.{way}_bps_device", f"{number} {rate or 0}")
                    for way, rate in (("read", read), ("write", write))]
        return [(self.group / "io.max", f"{number} rbps={read or 'max'} wbps={write or 'max'}")]

    def start_wave(self, device, low, high, low_s, high_s, seconds):
        """A program of its own that goes from one rate of reading to the other and back, at
        instants that do not drift."""
        steps = [([(str(path), text) for path, text in self.settings(device, rate, None)], length)
                 for rate, length in ((low, low_s), (high, high_s))]
        return self.lab.start("wave", [sys.executable, __file__, repr(steps), str(seconds)])


def remove(group):
    """Whoever is in it still is a test's agent that was ended; the group goes when it is gone."""
    for _ in range(200):
        with contextlib.suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)


def read_words(path):
    return path.read_text().split() if path.exists() else []


def wave(steps, seconds):
    end = at = time.monotonic()
    end += seconds
    while at < end:
        for settings, length in steps:
            for path, text in settings:
                pathlib.Path(path).write_text(text)
            at += length
            time.sleep(max(0, at - time.monotonic()))


if __name__ == "__main__":
    wave(eval(sys.argv[1]), float(sys.argv[2]))  # pylint: disable=eval-used
