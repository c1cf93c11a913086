"""hosts.py - hosts as network namespaces, each with an address and a muster-agent of its own.

Controller and agents have keys, as on any network; a Fleet with secure=False is one of --insecure.

The namespaces hang on a bridge in one more namespace: nothing is added to the machine's own
network, and two labs never see each other, so all use 10.77.0.1, .2, … and the controller .250.
"""

import time

from lab import require, require_root, require_tools, wait_for
from plans import flow

PORT = 7411


CONTROLLER_KEY = "controller"
# Commands that talk to agents.
TALKING = ("run", "check", "fleet", "collect")


class Fleet:
    def __init__(self, lab, count, secure=True):
        require_root()
        require_tools("ip", "nsenter")
        self.lab, self.secure = lab, secure
        self.bridge = f"{lab.prefix}b"
        self.controller = f"{lab.prefix}c"
        add_namespace(lab, self.bridge)
        ip(lab, self.bridge, "link", "add", "br0", "type", "bridge")
        ip(lab, self.bridge, "link", "set", "br0", "up")
        self.controller_address = "10.77.0.250"
        self.attach(self.controller, self.controller_address, 250)
        self.hosts = [Host(self, number) for number in range(1, count + 1)]
        if secure:
            lab.call(lab.build / "muster", "keygen", CONTROLLER_KEY,
                     *(host.address for host in self.hosts))

    def attach(self, namespace, address, number):
        lab = self.lab
        add_namespace(lab, namespace)
        ip(lab, self.bridge, "link", "add", f"p{number}", "type", "veth",
           "peer", "name", "eth0", "netns", namespace)
        ip(lab, self.bridge, "link", "set", f"p{number}", "master", "br0", "up")
        ip(lab, namespace, "addr", "add", f"{address}/24", "dev", "eth0")
        ip(lab, namespace, "link", "set", "eth0", "up")

    def muster(self, *arguments):
        """A command on the controller's host, with its key where it talks to agents."""
        if arguments[0] in TALKING:
            arguments += ("--key", CONTROLLER_KEY) if self.secure else ("--insecure",)
        return self.lab.muster(*arguments, namespace=self.controller)

    def run(self, plan, seconds=90):
        """Runs a plan to its end; answers what the program did and the run directory."""
        program, directory = self.begin(plan)
        return program.wait(seconds), directory

    def begin(self, plan):
        directory = self.lab.directory / f"run-{len(self.lab.programs)}"
        return self.muster("run", plan, "--out", directory), directory


class Host:
    def __init__(self, fleet, number):
        self.fleet, self.lab = fleet, fleet.lab
        self.address = f"10.77.0.{number}"
        self.namespace = f"{self.lab.prefix}h{number}"
        self.agent = None
        self.disk = None
        self.number = number
        fleet.attach(self.namespace, self.address, number)

    def start_agent(self, disk, binary="muster-agent", devices=(), before=(), secure=None,
                    key=None, controllers=(CONTROLLER_KEY,), user=None, paths=()):
        """An agent that may use the file system of `disk` and the devices and paths named; `before`
        are the words that its command stands behind, `key` its own when it is not the one of its
        name, `user` whom it becomes."""
        secure = self.fleet.secure if secure is None else secure
        self.disk = disk
        config = self.lab.directory / f"agent-{self.address}.yaml"
        paths = [*([disk.mount] if disk and disk.mount else []), *paths]
        config.write_text(
            f"listen: tcp://{self.address}:{PORT}\n"
            f"allow_paths: {flow(paths)}\n"
            f"allow_devices: {flow(devices)}\n"
            f"spool: {flow(self.lab.directory / f'spool-{self.address}')}\n"
            + (f"key: {flow(key or self.address)}\ncontrollers: {flow(controllers)}\n"
               if secure else "") + (f"user: {user}\n" if user else ""))
        command = [*before, self.lab.build / binary, "--config", config]
        if not secure:
            command.append("--insecure")
        self.agent = self.lab.start(f"agent-{self.address}", command, self.namespace)
        wait_for(self.is_listening, 20, f"agent on {self.address} listens")
        return self.agent

    def link(self, state):
        """Its port on the bridge, "up" or "down": as if the cable were pulled at the switch."""
        ip(self.lab, self.fleet.bridge, "link", "set", f"p{self.number}", state)

    def is_listening(self):
        require(self.agent.is_running(),
                f"agent on {self.address} ended: {self.agent.output()}")
        return "listening" in self.agent.output()[0]

    def wait_for_load(self, program, seconds=30, bytes_moved=4 << 20):
        """Until `program` has its disk move that much from now on; answers when that was."""
        before = sum(self.disk.counters())

        def moves():
            require(program.is_running(), f"the run is over: {program.output()}")
            return sum(self.disk.counters()) - before > bytes_moved

        wait_for(moves, seconds, f"load on {self.address}")
        return time.monotonic()

    def last_move(self, seconds, quiet=1.5):
        """Watches the disk until it has been quiet; answers when it moved last."""
        return last_moves([self], seconds, quiet)[self]


def last_moves(hosts, seconds, quiet=1.5):
    """Watches the disks until all have been quiet; answers when each moved last, or, of one that
    never did, when the watch began."""
    began = time.monotonic()
    moved = {host: sum(host.disk.counters()) for host in hosts}
    last = dict.fromkeys(hosts, began)
    while time.monotonic() - max(last.values()) < quiet:
        require(time.monotonic() < began + seconds,
                f"still moving after {seconds} s: {[host.address for host in hosts]}")
        time.sleep(0.05)
        for host in hosts:
            now = sum(host.disk.counters())
            # A file system writes a block of its log now and then.
            if now - moved[host] > 256 << 10:
                last[host] = time.monotonic()
            moved[host] = now
    return last


def add_namespace(lab, name):
    lab.call("ip", "netns", "add", name)
    lab.undo.callback(lab.call, "ip", "netns", "del", name)
    ip(lab, name, "link", "set", "lo", "up")


def ip(lab, namespace, *words):
    """Not `ip -n`, which wants to change the mounts and so does not work in a chroot."""
    lab.call("nsenter", f"--net=/run/netns/{namespace}", "ip", *words)


def blackhole(lab, namespace, address, state):
    """What `namespace` sends to `address` is lost ("add") until "del"; what comes from there is not."""
    ip(lab, namespace, "route", state, "blackhole", f"{address}/32")
