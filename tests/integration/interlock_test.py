"""The interlock, cell by cell on real devices: what is in use, or was, is refused with the reason and
not one byte of it is changed; what `destroy` may arm is written, armed rightly and only then."""

import contextlib
import hashlib
import os
import pathlib
import re
import shutil
import stat
import subprocess

import signatures
from disks import detach, mount, require_loop_devices
from hosts import Fleet
from lab import Failed, require, require_tools, wait_for
from plans import write_plan
from results import Result

MIB = 1 << 20
ZEROS = bytes(MIB)
LIMIT_S = 400  # a run for each cell, nearly fifty
ALL_WAYS = "ext4, not mounted"  # the others are asked about unarmed by check_all
CODES = {"a regular file in /dev": "NOT_A_DEVICE", "missing": "NO_SUCH_DEVICE",
         "no disk": "NOT_A_DEVICE", "no bytes": "ZERO_SIZE"}  # all else is in use


class Bench:
    """Loop devices, and the plan lines that stand for each of them."""

    def __init__(self, lab):
        self.lab = lab
        self.images = {}
        self.counted = {}  # bytes that a digest is over, where not all

    def image(self, name, size_mib=64):
        path = self.lab.directory / f"{name}.img"
        with open(path, "wb") as file:
            file.truncate(size_mib * MIB)
        return path

    def attach(self, path, *more):
        device = self.lab.call("losetup", "--find", "--show", *more, path)
        self.lab.undo.callback(detach, self.lab, device)
        self.images[device] = path
        return device

    def disk(self, name, size_mib=64, *more):
        return self.attach(self.image(name, size_mib), *more)

    def partitioned(self, name, *sizes, size_mib=64):
        """A disk with a table; answers it and its partitions."""
        disk = self.disk(name, size_mib, "--partscan")
        signatures.gpt(self.lab, disk, *sizes)
        # Not every kernel reads GPT itself.
        self.lab.call("partx", "--update", disk)
        parts = [f"{disk}p{number}" for number in range(1, len(sizes) + 1)]
        wait_for(lambda: all(os.path.exists(part) for part in parts), 5, f"partitions of {disk}")
        return disk, parts

    def identity(self, device):
        match = re.fullmatch(r"(/dev/loop\d+?)(?:p(\d+))?", device)
        image = self.images[match[1]]
        status = image.stat()
        base = f"loop:{image}:{status.st_dev}:{status.st_ino}"
        if not match[2]:
            return base
        about = pathlib.Path("/sys/class/block", os.path.basename(device))
        begin, length = (int((about / name).read_text()) * 512 for name in ("start", "size"))
        return f"{base}-part{match[2]}:{begin}+{length}"

    def digest(self, device):
        digest = hashlib.sha256()
        with open(device, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            left = self.counted.get(device, 1 << 60)
            while chunk := file.read(min(MIB, left)):
                # Most of it never was anything else, and comparing costs a tenth of hashing.
                if chunk != ZEROS[:len(chunk)]:
                    digest.update(left.to_bytes(8, "big") + chunk)
                left -= len(chunk)
        return digest.hexdigest()


def test(lab):
    require_loop_devices(lab)
    require_tools("mkfs.ext4", "mkswap", "swapon", "sfdisk", "pvcreate", "cryptsetup", "blkid")
    bench = Bench(lab)
    fleet = Fleet(lab, 2)
    never = [*mounted(lab, bench), *swaps(lab, bench), *btrfs(lab, bench), *members(lab, bench),
             *zfs(lab, bench), *kinds(lab, bench), *odd_holders(lab, bench)]
    armed = [*free(lab, bench)]
    devices = {str(device) for _, device, *_ in never + armed}
    changing = lab.directory / "changing"
    changing.symlink_to(armed[0][1])
    fleet.hosts[0].start_agent(None, devices=sorted({*devices, str(changing)} | root_devices(lab)))
    check_all(lab, fleet, bench, never, armed)
    for name, device, counted, words in never:
        refuse(lab, fleet, bench, name, str(device), counted, words)
    for name, device in armed:
        write_when_armed(lab, fleet, bench, name, device)
    changed_since_check(lab, fleet, bench, changing)
    system_disk(lab, fleet)
    two_paths(lab, fleet, bench)
    two_parts_of_a_file(lab, fleet, bench)


# ---- the cells: (name, device in the plan, the device whose bytes count or None, words) ----

def still(lab, device, name):
    """Mounted, and written to by nobody: so that a digest tells who else wrote."""
    where = mount(lab, device, name)
    lab.call("mount", "-o", "remount,ro", where)
    return where


def mounted(lab, bench):
    xfs = bench.disk("xfs", 320)
    lab.call("mkfs.xfs", "-q", "-f", xfs)
    where = still(lab, xfs, "xfs-mount")
    bench.counted[xfs] = 64 * MIB  # a write would be at the begin
    yield "mounted", xfs, xfs, f"is mounted on {where}"
    link = lab.directory / "by-path-pci:0000:00:1f.2-ata-1"
    link.symlink_to(xfs)
    yield "mounted, by a link with colons", link, xfs, f"is mounted on {where}"
    node = lab.directory / "node"
    os.mknod(node, stat.S_IFBLK | 0o600, os.stat(xfs).st_rdev)
    yield "mounted, by another node", node, xfs, f"is mounted on {where}"
    other = bench.attach(bench.images[xfs])
    yield "a loop over the same file is mounted", other, xfs, "is mounted on"

    bound = bench.disk("bound", 64)
    lab.call("mkfs.ext4", "-q", bound)
    first = lab.directory / "bound-first"
    first.mkdir()
    lab.call("mount", bound, first)
    (first / "in").mkdir()
    second = lab.directory / "bound-second"
    second.mkdir()
    lab.call("mount", "--bind", first / "in", second)
    lab.undo.callback(lab.call, "umount", second)
    lab.call("mount", "-o", "remount,ro", first)
    lab.call("umount", first)
    yield "mounted by bind alone", bound, bound, f"is mounted on {second}"

    disk, parts = bench.partitioned("parts", 24, 24)
    lab.call("mkfs.ext4", "-q", parts[0])
    where = still(lab, parts[0], "part-mount")
    yield "a partition of it is mounted", disk, disk, f"is mounted on {where}"
    yield "mounted partition", parts[0], disk, f"is mounted on {where}"

    beneath = bench.disk("beneath")
    lab.call("mkfs.ext4", "-q", beneath)
    above = bench.attach(pathlib.Path(beneath))
    still(lab, above, "above-mount")
    yield "a loop over it is mounted", beneath, beneath, "is mounted on"


def swaps(lab, bench):
    on, idle = bench.disk("swap-on"), bench.disk("swap-idle")
    for device in (on, idle):
        lab.call("mkswap", device)
    lab.call("swapon", on)
    bench.counted[on] = 4096  # the kernel itself may swap to what is behind
    lab.undo.callback(lab.call, "swapoff", on)
    yield "swap", on, on, "is swap"
    yield "swap, not in use", idle, idle, "signature of swap"


def btrfs(lab, bench):
    devices = [bench.disk(f"btrfs-{part}", 128) for part in "ab"]
    lab.call("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid0", *devices)
    still(lab, devices[0], "btrfs-mount")
    yield "second device of a mounted btrfs", devices[1], devices[1], "mounted btrfs"
    idle = [bench.disk(f"idle-{part}", 128) for part in "ab"]
    lab.call("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid0", *idle)
    yield "member of a btrfs, idle", idle[1], idle[1], "signature of btrfs"


def members(lab, bench):
    for name, words, make in (
            ("lvm", "LVM2_member", lambda device: signatures.lvm(lab, device)),
            ("luks1", "crypto_LUKS", lambda device: signatures.luks(lab, device, "luks1")),
            ("luks2", "crypto_LUKS", lambda device: signatures.luks(lab, device, "luks2")),
            ("md-1.2", "linux_raid_member", lambda device: signatures.md_1(device, "1.2")),
            ("md-1.0", "linux_raid_member", lambda device: signatures.md_1(device, "1.0")),
            ("md-0.90", "linux_raid_member", signatures.md_0_90)):
        device = bench.disk(name)
        make(device)
        require(words in lab.call("blkid", "-p", device), f"{name}: blkid does not see it")
        yield f"idle member: {name}", device, device, f"signature of {words}"
    for word in ("GEOM::STRIPE", "GEOM::ELI"):
        device = bench.disk(word[6:].lower())
        signatures.write_at(device, -512, word.encode().ljust(512, b"\0"))
        yield f"idle member: FreeBSD's {word}", device, device, "also when idle"
    ocfs2, gfs2, vmfs = (bench.disk(name) for name in ("ocfs2", "gfs2", "vmfs"))
    signatures.write_at(ocfs2, 4096, b"OCFSV2".ljust(512, b"\0"))
    signatures.write_at(gfs2, 65536, bytes.fromhex("0116197000000001").ljust(512, b"\0"))
    signatures.write_at(vmfs, MIB, bytes.fromhex("0dd001c0").ljust(512, b"\0"))
    for device in (ocfs2, gfs2, vmfs):
        yield "a file system of several hosts", device, device, "other hosts may have mounted"
    mmp = bench.disk("mmp")
    lab.call("mkfs.ext4", "-q", "-O", "mmp", mmp)
    signatures.mmp_in_use(mmp)
    yield "ext4 that another host has mounted", mmp, mmp, "multiple mount protection"
    disk, parts = bench.partitioned("geli-part", 40)
    signatures.write_at(parts[0], -512, b"GEOM::ELI".ljust(512, b"\0"))
    yield "a partition of it is geli's", disk, disk, "the mark of geli encryption"
    yield "geli's partition", parts[0], disk, "also when idle"
    disk, parts = bench.partitioned("backup", 40)
    signatures.lvm(lab, parts[0])
    lab.call("partx", "--delete", disk)
    signatures.write_at(disk, 0, bytes(34 * 512))
    yield "a partition of GPT's backup alone", disk, disk, "the mark of LVM2"
    disk, parts = bench.partitioned("lvm-part", 40)
    signatures.lvm(lab, parts[0])
    yield "a partition of it is an idle member", disk, disk, "signature of LVM2_member"


def zfs(lab, bench):
    """A real pool on two devices; the daemon ends with the lab."""
    if not shutil.which("zfs-fuse", path="/usr/sbin:/sbin") or not os.path.exists("/dev/fuse"):
        print("skipped: the ZFS cells need zfs-fuse and /dev/fuse", flush=True)
        return
    imported, exported = bench.disk("zfs-in", 80), bench.disk("zfs-out", 80)
    daemon = lab.start("zfs-fuse", ["zfs-fuse", "--no-daemon"])
    pools = [f"{lab.prefix}in", f"{lab.prefix}out"]

    def make(pool, device):
        done = subprocess.run(["zpool", "create", "-f", "-m", "none", pool, device],
                              capture_output=True, env=lab.environment(), timeout=30, check=False)
        return done.returncode == 0

    def undo():
        for pool in pools:
            with contextlib.suppress(Failed):
                lab.call("zpool", "destroy", "-f", pool)
        daemon.end()

    lab.undo.callback(undo)
    wait_for(lambda: make(pools[0], imported), 15, "zpool create")
    require(make(pools[1], exported), "the second pool cannot be made")
    lab.call("zpool", "export", pools[1])
    yield "ZFS pool, imported", imported, imported, "ZFS pool"
    yield "ZFS pool, exported", exported, exported, "ZFS pool"


def kinds(lab, bench):
    file = pathlib.Path(f"/dev/{lab.prefix}-file")
    file.write_bytes(b"x" * MIB)
    lab.undo.callback(file.unlink, missing_ok=True)
    yield "a regular file in /dev", file, file, "is a regular file"
    absent = f"/dev/{lab.prefix}-absent"
    yield "missing", absent, None, "does not exist on this host"
    yield "no disk", "/dev/null", None, "disk"
    yield "read-only", bench.disk("read-only", 64, "--read-only"), None, "is read-only"
    yield "no bytes", bench.disk("no-bytes", 0), None, "0 bytes"


def odd_holders(lab, bench):
    """What this mount namespace does not see."""
    hidden = bench.disk("hidden")
    lab.call("mkfs.ext4", "-q", hidden)
    where = lab.directory / "hidden-mount"
    where.mkdir()
    lab.start("hidden", ["unshare", "--mount", "sh", "-c",
                         f"mount -o ro {hidden} {where} && echo done && exec sleep 200"])
    wait_for(lambda: "done" in lab.programs[-1].output()[0], 10, "the hidden mount")
    yield "mounted in another mount namespace", hidden, hidden, "is held by something"


def free(lab, bench):
    ext4 = bench.disk("ext4")
    lab.call("mkfs.ext4", "-q", ext4)
    yield "ext4, not mounted", ext4
    table, parts = bench.partitioned("table", 16, 16)
    yield "a partition table", table
    yield "a bare disk", bench.disk("bare")
    lone = bench.disk("lone", 128)
    lab.call("mkfs.btrfs", "-q", "-f", lone)
    yield "a btrfs of one device, not mounted", lone
    disk, parts = bench.partitioned("half", 24, 24)
    lab.call("mkfs.ext4", "-q", parts[0])
    still(lab, parts[0], "half-mount")
    yield "a free partition beside a mounted one", parts[1]


def found(name, device):
    """What a look at one of these says that is lost with it."""
    for words in ("ext4", "btrfs"):
        if name.startswith((words, f"a {words}")):
            return f"{os.path.basename(device)} carries a file system ({words})"
    if "a partition table" in name:
        return f"{os.path.basename(device)} carries a partition table (gpt)"
    return "no file system and no partition table"


# ---- asking ----

def plan_for(lab, fleet, device, destroy, host=0):
    target = {"device": device, **({"destroy": destroy} if destroy else {})}
    phases = [{"name": "write", "op": "write", "targets": ["raw"], "size": "8MiB"}]
    return write_plan(lab, "cell", [{"host": fleet.hosts[host].address}], {"raw": target}, phases)


def armed_with(bench, device):
    """Whatever it is, rightly armed: what refuses it is the interlock alone."""
    real = os.path.realpath(device)
    if stat.S_ISBLK(os.stat(real).st_mode) if os.path.exists(real) else False:
        for known in bench.images:
            if os.stat(real).st_rdev == os.stat(known).st_rdev:
                return bench.identity(known)
        if re.fullmatch(r"/dev/loop\d+p\d+", real):
            return bench.identity(real)
    return "loop:/nowhere:1:2"


def check_all(lab, fleet, bench, never, armed):
    """`check --fleet` over all cells at once says of each what `run` will, and changes nothing."""
    cells = [(device, armed_with(bench, str(device)), words) for _, device, _, words in never]
    cells += [(device, bench.identity(device), "WHOSE CONTENT IS LOST") for _, device in armed]
    cells += [(device, bench.identity(device), f"found on it: {found(name, device)}")
              for name, device in armed]
    cells += [(device, None, f'destroy: "{bench.identity(device)}"') for _, device in armed]
    counted = [device for _, _, device, _ in never if device] + [device for _, device in armed]
    before = {device: bench.digest(device) for device in counted}
    targets = {f"t{number}": {"device": str(device), **({"destroy": destroy} if destroy else {})}
               for number, (device, destroy, _) in enumerate(cells)}
    phases = [{"name": f"c{number}", "op": "write", "targets": [f"t{number}"], "size": "8MiB"}
              for number in range(len(cells))]
    plan = write_plan(lab, "all", [{"host": fleet.hosts[0].address}], targets, phases)
    done = fleet.muster("check", plan, "--fleet").wait(60).expect(5)
    said = re.split(r"^phase (c\d+)$", done.stdout, flags=re.M)
    said = dict(zip(said[1::2], said[2::2]))
    for number, (device, _, words) in enumerate(cells):
        require(words in said[f"c{number}"], f"'{words}' is not said of {device}:"
                f"\n{said[f'c{number}']}")
    changed = [device for device in counted if bench.digest(device) != before[device]]
    require(not changed, f"looking changed {changed}, of {[(c[0], c[1]) for c in never + armed]}")


def refuse(lab, fleet, bench, name, device, counted, words):
    before = bench.digest(counted) if counted else None
    plan, directory = plan_for(lab, fleet, device, armed_with(bench, device)), lab.directory / "no"
    done = fleet.muster("run", plan, "--out", directory).wait(60)
    codes = {f["code"] for f in Result(directory).run["findings"] if f["level"] == "REFUSE"}
    shutil.rmtree(directory)
    require(done.code == 5, f"{name}: exit {done.code}, not 5:\n{done.text}")
    require(words in done.text, f"{name}: '{words}' is not said:\n{done.text}")
    code = CODES.get(name, "TARGET_IN_USE")
    require(codes == {code}, f"{name}: found {codes}, not {code}")
    require(not counted or bench.digest(counted) == before, f"{name}: the device was changed")
    require(not device.endswith("absent") or not os.path.lexists(device),
            f"{name}: '{device}' was made")
    print(f"refused: {name}: {words}", flush=True)


def write_when_armed(lab, fleet, bench, name, device):
    before = bench.digest(device)
    directory = lab.directory / "armed"
    wrong = ((None, 5), ("loop:/nowhere:1:2", 5)) if name == ALL_WAYS else ()
    for destroy, code in (*wrong, (bench.identity(device), 0)):
        plan = plan_for(lab, fleet, device, destroy)
        done = fleet.muster("run", plan, "--out", directory).wait(60)
        require(done.code == code, f"{name}: exit {done.code}, not {code}:\n{done.text}")
        codes = {f["code"] for f in Result(directory).run["findings"] if f["level"] == "REFUSE"}
        require(codes == ({"TARGET_HAS_DATA"} if code else set()), f"{name}: found {codes}")
        shutil.rmtree(directory)
        require(code == 0 or f'destroy: "{bench.identity(device)}"' in done.text.replace("\n", " "),
                f"{name}: the identity to paste is not said:\n{done.text}")
        require((bench.digest(device) == before) == (code != 0),
                f"{name}: changed without being armed, or not changed though it was")
    print(f"armed: {name}", flush=True)


def changed_since_check(lab, fleet, bench, name):
    """The plan is armed for what stood there; something else does by the time of the run. It is a
    link that leads there: a loop device that is let go of could be another test's the next moment."""
    plan = plan_for(lab, fleet, name, bench.identity(os.readlink(name)))
    fleet.muster("check", plan, "--fleet").wait(60).expect(0)
    device = bench.disk("exchanged")
    name.unlink()
    name.symlink_to(device)
    before = bench.digest(device)
    done = fleet.muster("run", plan, "--out", lab.directory / "exchanged").wait(60)
    done.expect(5)
    require("is not the device that the plan says may be overwritten" in done.text,
            f"it is not said:\n{done.text}")
    require(bench.digest(device) == before, "another device than the plan's was written to")


# ---- the system's own disk: asked about only ----

def root_devices(lab):
    source = lab.call("findmnt", "--noheadings", "--output", "SOURCE", "/").split("[")[0]
    return {source} if source.startswith("/dev/") and os.path.exists(source) else set()


def system_disk(lab, fleet):
    for device in root_devices(lab):
        try:
            os.close(os.open(device, os.O_RDONLY))
        except PermissionError:
            print(f"skipped: {device} may not even be read here", flush=True)
            continue
        done = fleet.muster("check", plan_for(lab, fleet, device, "serial:none"), "--fleet").wait(
            60).expect(5)
        require("is mounted on /" in done.text or "system disk" in done.text, done.text)


# ---- what needs an agent of its own ----

SAME_WWN = """
for disk in "$1" "$2"; do
        from=/sys/devices/virtual/block/$disk to=$(mktemp -d)
        for file in dev size diskseq ro queue/logical_block_size loop/backing_file; do
                mkdir -p "$to/$(dirname $file)" && cat "$from/$file" > "$to/$file"
        done
        echo naa.600508b1001c0000 > "$to/wwid"
        mount --bind "$to" "$from"
done
shift 2
exec "$@"
"""


def two_paths(lab, fleet, bench):
    """One disk under two names and no multipath over them: what is mounted by one is not written to
    by the other. The agent sees a sysfs in which two loop devices have the same WWN."""
    used, other = bench.disk("path-a", 64), bench.disk("path-b", 64)
    lab.call("mkfs.ext4", "-q", used)
    where = still(lab, used, "path-mount")
    names = [os.path.basename(device) for device in (used, other)]
    fleet.hosts[1].start_agent(None, devices=[used, other],
                               before=["unshare", "--mount", "sh", "-c", SAME_WWN, "sh", *names])
    armed = "wwn:naa.600508b1001c0000"
    for mounted, words in ((True, f"{names[0]}, another path to {names[1]}, is mounted on {where}"),
                           (False, None)):
        before = bench.digest(other)
        plan = plan_for(lab, fleet, other, armed, host=1)
        done = fleet.muster("run", plan, "--out", lab.directory / "path").wait(60)
        done.expect(5 if mounted else 0)
        shutil.rmtree(lab.directory / "path")
        require(not words or words in done.stderr, f"'{words}' is not said:\n{done.stderr}")
        require((bench.digest(other) == before) == mounted, "changed, or not changed")
        if mounted:
            lab.call("umount", where)
            # The agent's mount namespace has a copy.
            pid = fleet.hosts[1].agent.pid
            lab.call("nsenter", f"--mount=/proc/{pid}/ns/mnt", "umount", where)
            where.mkdir(exist_ok=True)
            lab.call("mount", "-t", "tmpfs", "tmpfs", where)
    fleet.hosts[1].agent.end()
    print("refused: mounted by another path to it", flush=True)


def two_parts_of_a_file(lab, fleet, bench):
    """Two loop devices over parts of one file are told apart by their identity."""
    image = bench.image("halves")
    first, second = (bench.attach(image, "--offset", offset, "--sizelimit", 32 * MIB)
                     for offset in (0, 32 * MIB))
    fleet.hosts[1].start_agent(None, devices=[first, second])
    plan = plan_for(lab, fleet, second, bench.identity(first) + f":0+{32 * MIB}", host=1)
    done = fleet.muster("check", plan, "--fleet").wait(60).expect(5)
    require(f'{bench.identity(second)}:{32 * MIB}+{32 * MIB}"' in done.stdout,
            f"the identity does not tell which part it is:\n{done.stdout}")
