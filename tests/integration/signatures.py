"""signatures.py - what other software leaves on a device, written with its own tools, or byte by byte
where those need a kernel that a test machine may not have (md)."""

import os
import struct
import subprocess

MIB = 1 << 20


def quiet(lab, *command, feed=None):
    """LVM complains of each descriptor it inherits and of the device mapper that is not there."""
    done = subprocess.run([str(word) for word in command], input=feed, capture_output=True,
                          timeout=60, check=False,
                          env={**lab.environment(), "LVM_SUPPRESS_FD_WARNINGS": "1"})
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(done.args)}: {done.stderr.decode(errors='replace')}")


def lvm(lab, device):
    """A physical volume; only this device is looked at."""
    only = f'devices {{ filter = ["a|^{device}$|", "r|.*|"] use_devicesfile = 0 }}'
    quiet(lab, "pvcreate", "-y", "--config", only, device)


def luks(lab, device, kind):
    quiet(lab, "cryptsetup", "luksFormat", "--type", kind, "--pbkdf-force-iterations", "1000",
          *(["--pbkdf", "pbkdf2"] if kind == "luks2" else []), "-q", device, "-", feed=b"word")


def write_at(device, offset, data):
    with open(device, "rb+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        # Whole sectors: a device takes nothing else at its end.
        file.seek(offset if offset >= 0 else size + offset)
        file.write(data)
        os.fsync(file.fileno())


def md_checksum(block):
    """Of md_p.h's version 1: a sum of words, folded once, with its own place taken as 0."""
    total = sum(struct.unpack(f"<{len(block) // 4}I", block))
    return ((total & 0xffffffff) + (total >> 32)) & 0xffffffff


def md_1(device, where):
    """Version 1.2 stands 4 KiB from the begin, 1.0 at least 8 KiB before the end."""
    size = os.stat(device).st_size or block_size(device)
    offset = 4096 if where == "1.2" else (size // 512 - 16) // 8 * 8 * 512
    block = bytearray(256 + 2 * 2)
    struct.pack_into("<4I", block, 0, 0xa92b4efc, 1, 0, 0)
    block[16:32] = bytes(range(1, 17))
    block[32:38] = b"host:0"
    struct.pack_into("<QIIQII", block, 64, 1, 1, 0, size // 512 // 2, 128, 2)
    struct.pack_into("<QQQ", block, 128, 2048, size // 512 - 2048, offset // 512)
    block[168:184] = bytes(range(17, 33))
    struct.pack_into("<I", block, 220, 2)  # max_dev
    struct.pack_into("<I", block, 216, md_checksum(bytes(block)))
    write_at(device, offset, bytes(block).ljust(4096, b"\0"))


def md_0_90(device):
    """In the last whole 64 KiB but one; its checksum is not looked at where it is 0."""
    size = block_size(device)
    offset = size // 65536 * 65536 - 65536
    words = [0] * 1024
    words[0:8] = [0xa92b4efc, 0, 90, 3, 0, 0x11111111, 0, 1]
    words[13:16] = [0x22222222, 0x33333333, 0x44444444]
    words[38] = (sum(words) & 0xffffffff) + (sum(words) >> 32)
    write_at(device, offset, struct.pack("<1024I", *words))


def mmp_in_use(device):
    """ext4 with multiple mount protection, as another host has it mounted: counted on."""
    with open(device, "rb+", buffering=0) as file:
        superblock = os.pread(file.fileno(), 1024, 1024)
        log, = struct.unpack_from("<I", superblock, 0x18)
        number, = struct.unpack_from("<Q", superblock, 0x168)
        at = number * (1024 << log)
        block = bytearray(os.pread(file.fileno(), 1024, at))
        if struct.unpack_from("<II", block) != (0x004D4D50, 0xFF4D4D50):
            raise AssertionError(f"{device}: no clean MMP block at {at}")
        struct.pack_into("<I", block, 4, 12345)
        os.pwrite(file.fileno(), block, at)
        os.fsync(file.fileno())


def block_size(device):
    with open(device, "rb", buffering=0) as file:
        return file.seek(0, os.SEEK_END)


def gpt(lab, device, *partitions):
    """Partitions of so many MiB one behind the other, with sfdisk; the kernel is told."""
    script = "label: gpt\n" + "".join(f"size={size}MiB\n" for size in partitions)
    quiet(lab, "sfdisk", "--quiet", "--wipe", "never", device, feed=script.encode())
