"""tools.py - who does the benchmark's I/O: each answers operations a second, and CPU ns of one.

CPU is of the load alone: muster's from its result, other programs' as getrusage has it less that of
a run that does next to nothing, threads that the kernel runs for them included.
"""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys

from places import MIB, SIZE, quietly

PLAN = """\
name: bench
fleet: {{agents: [{{local: 1}}]}}
targets:
  t: {{{target}}}
defaults: {{targets: [t], allow_ram: true, cache: allowed}}
phases: [{before}
   {{name: bench, op: {operation}, access: {access}, block_size: {block}, engine: {engine},
     queue_depth: {depth}, runtime: {seconds}s, sync: none}}]
min_window: 500ms
"""
# The load of the latency comparison, for both.
RATE = 2000
RATED_S = 5
RATED = """\
name: bench
fleet: {{agents: [{{local: 1}}]}}
targets:
  t: {{{target}}}
defaults: {{targets: [t], allow_ram: true, cache: allowed}}
phases: [{before}
   {{name: bench, op: read, access: random, block_size: 4KiB, engine: sync, rate: {rate}/s,
     runtime: {seconds}s}}]
min_window: 500ms
"""
# A file that is written is there before, as the others' is, and what was written for that is on disk.
LAY = "\n   {{name: lay, op: write, block_size: 1MiB, queue_depth: 8, size: {size}}},"
SETTLE = "\n   {name: settle, op: read, block_size: 4KiB, runtime: 4s},"
START = """\
name: start
fleet: {{agents: [{{local: 1}}]}}
targets: {{t: {{null: true, size: 1GiB}}}}
phases: [{{name: one, op: read, targets: [t], block_size: 4KiB, queue_depth: 32, size: 4KiB}}]
repeat: {repeat}
min_window: 0s
"""


class Cell:
    """What is measured; `wanted` are rules of verdict.py."""

    def __init__(self, name, operation, access, block, depth, wanted):
        self.name, self.operation, self.access = name, operation, access
        self.block, self.depth, self.wanted = block, depth, wanted


def programs():
    """Name to path of the peers that are here; prints those that are not."""
    named = {"fio": shutil.which("fio"), "newer fio": os.environ.get("FIO_NEW"),
             "t/io_uring": os.environ.get("T_IO_URING") or shutil.which("t/io_uring"),
             "elbencho": os.environ.get("ELBENCHO") or shutil.which("elbencho")}
    for name, path in named.items():
        if not path:
            print(f"{name} is not here: left out")
    return {name: path for name, path in named.items() if path}


def spent(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = quietly(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return answer, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Tools:
    def __init__(self, build, directory, seconds):
        self.build, self.directory, self.seconds, self.count = build, directory, seconds, 0
        self.programs = programs()
        self.starts = {}

    # ---- muster ----

    def run(self, text, expected=0):
        """Runs a plan; answers its phases, and CPU s of controller and agents."""
        self.count += 1
        plan, results = self.directory / "plan.yaml", self.directory / f"run{self.count}"
        plan.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run([self.build / "muster", "run", plan, "--out", results, "--quiet"],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if ran.returncode != expected:
            sys.exit(f"muster: exit {ran.returncode}\n{ran.stdout}")
        if expected:
            return ran.stdout, 0
        phases = json.loads((results / "run.json").read_text())["phases"]
        shutil.rmtree(results)
        return phases, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def plan(self, engine, place, cell, target):
        before = ""
        if cell.operation == "write" and not place.device and place.filename:
            before += LAY.format(size=SIZE)
        if place.settles:
            before += SETTLE
        return PLAN.format(target=target, operation=cell.operation, access=cell.access,
                           block=cell.block, depth=cell.depth, engine=engine,
                           seconds=self.seconds, before=before)

    def target(self, engine, place, cell):
        """Of a device that is written, with the identity that a refusal prints."""
        if cell.operation == "read" or not place.device:
            return place.target
        if not place.identity:
            text, _ = self.run(self.plan(engine, place, cell, place.target), expected=5)
            place.identity = re.search(r'destroy: "([^"]+)"', text).group(1)
        return f'{place.target}, destroy: "{place.identity}"'

    def muster(self, engine, place, cell):
        phases, _ = self.run(self.plan(engine, place, cell, self.target(engine, place, cell)))
        host = phases[-1]["hosts"][0]
        target = host["targets"][0]
        return target["iops"], host["cpu_ns"] / target["operations"]

    def start_cost(self, phases):
        """CPU ms of one more phase of one I/O: preparing, clocks, barrier, start, report."""
        costs = [self.run(START.format(repeat=count))[1] for count in (1, phases + 1)]
        return (costs[1] - costs[0]) / phases * 1e3

    def rated_latency(self, place):
        """p50 and p99 of single reads at the rate, ns."""
        phases, _ = self.run(RATED.format(target=place.target, rate=RATE, seconds=RATED_S,
                                          before=SETTLE if place.settles else ""))
        latency = phases[-1]["hosts"][0]["targets"][0]["latency_ns"]
        return latency["p50"], latency["p99"]

    # ---- the others ----

    def net(self, name, command, idle_command):
        """The answer, and CPU s less those of the idle command (median of three)."""
        if name not in self.starts:
            self.starts[name] = statistics.median(spent(idle_command)[1] for _ in range(3))
        answer, cpu_s = spent(command)
        return answer, max(cpu_s - self.starts[name], 0)

    def has_engine(self, name, engine):
        """As it was built."""
        return engine in quietly(self.programs[name], "--enghelp").split()

    def fio(self, name, engine, place, cell, *options):
        access = "rand" if cell.access == "random" else ""
        common = [self.programs[name], "--name=j", "--thread", f"--ioengine={engine}",
                  f"--size={SIZE}", f"--bs={cell.block}", f"--rw={access}{cell.operation}",
                  "--norandommap", f"--iodepth={cell.depth}", "--randrepeat=0",
                  "--output-format=json", *options]
        if place.filename:
            common += ["--direct=1", f"--filename={place.filename}"]
        # New data in each block, as muster writes; fio's own way changes 64 bytes of it.
        if cell.operation == "write":
            common += ["--refill_buffers"]
        answer, cpu_s = self.net(f"{name} {engine} {cell.block}",
                                 common + ["--time_based", f"--runtime={self.seconds}"],
                                 common + [f"--io_size={cell.block}"])
        job = json.loads(answer[answer.index("{"):])["jobs"][0][cell.operation]
        return job["iops"], cpu_s * 1e9 / job["total_ios"]

    def rated_fio_latency(self, name, place):
        answer = quietly(self.programs[name], "--name=j", "--thread", "--ioengine=psync",
                         f"--size={SIZE}", "--bs=4096", "--rw=randread", "--norandommap",
                         "--randrepeat=0", "--direct=1", f"--filename={place.filename}",
                         f"--rate_iops={RATE}", "--time_based", f"--runtime={RATED_S}",
                         "--percentile_list=50:99", "--output-format=json")
        job = json.loads(answer[answer.index("{"):])["jobs"][0]["read"]
        percentiles = job["clat_ns"]["percentile"]
        return percentiles["50.000000"], percentiles["99.000000"]

    def t_io_uring(self, place, cell):
        """With buffers, file and ring registered, as ours are."""
        command = (self.programs["t/io_uring"], f"-d{cell.depth}", "-s1", "-c1", f"-b{cell.block}",
                   "-p0", "-B1", "-F1", "-X1", f"-r{self.seconds}", place.filename)
        answer, cpu_s = spent(command)
        rates = [float(n) * {"": 1, "K": 1e3, "M": 1e6}[unit]
                 for n, unit in re.findall(r"^IOPS=([0-9.]+)([KM]?)", answer, re.M)]
        if not rates:
            sys.exit(f"engines: t/io_uring printed no rate, which it does each second: --seconds 2 "
                     f"or more\n{answer}")
        iops = statistics.mean(rates)  # of each second
        return iops, cpu_s * 1e9 / (iops * self.seconds)

    def elbencho(self, place, cell):
        seconds = max(self.seconds, 2)  # it has no shorter ones
        access = ("--rand", "--randalgo", "fast") if cell.access == "random" else ()
        # New data in each block, by its fastest generator.
        data = ("--blockvarpct", "100", "--blockvaralgo", "fast") if cell.operation == "write" \
            else ()
        common = [self.programs["elbencho"], "-w" if cell.operation == "write" else "-r", "-t",
                  "1", "--direct", "--nolive", "-b", str(cell.block), "--iodepth",
                  str(cell.depth), *data, *access]
        answer, cpu_s = self.net(
            f"elbencho {cell.operation} {cell.block}",
            [*common, "-s", str(SIZE), "--infloop", "--timelimit", str(seconds), place.filename],
            [*common, "-s", str(cell.block), place.filename])
        mib = float(re.search(r"Total MiB\s*:\s*(?:\S+\s+)*?([0-9.]+)\s*$", answer, re.M).group(1))
        took = float(re.search(r"Elapsed time\s*:\s*(?:\S+\s+)*?([0-9.]+)s\s*$",
                               answer, re.M).group(1))
        count = mib * MIB / cell.block
        return count / took, cpu_s * 1e9 / count

    # ---- all of them ----

    def peers_on_null(self):
        for name in ("fio", "newer fio"):
            if name in self.programs:
                yield f"{name} null", lambda *at, n=name: self.fio(n, "null", *at)

    def peers_on_disks(self, cell):
        for name in ("fio", "newer fio"):
            if name not in self.programs:
                continue
            if cell.depth == 1:
                yield f"{name} psync", lambda *at, n=name: self.fio(n, "psync", *at)
                continue
            if self.has_engine(name, "io_uring"):
                yield f"{name} io_uring", lambda *at, n=name: self.fio(
                    n, "io_uring", *at, "--fixedbufs", "--registerfiles")
            if self.has_engine(name, "libaio"):
                yield f"{name} libaio", lambda *at, n=name: self.fio(n, "libaio", *at)
        random_reads = cell.access == "random" and cell.operation == "read" and cell.depth > 1
        if "t/io_uring" in self.programs and random_reads:
            yield "t/io_uring", self.t_io_uring
        if "elbencho" in self.programs:
            yield "elbencho", self.elbencho

    def of(self, place, cell):
        """Ours, as it chooses by itself, first; then whoever is here."""
        yield "muster", lambda *at: self.muster("auto", *at)
        yield from self.peers_on_disks(cell) if place.filename else self.peers_on_null()
