"""spools.py - what agents keep of a run, read from outside: framed msgpack, by its documentation.

A file is a row of records: length and CRC-32 of length and content, 32 bits each, lowest byte
first, then the content, which is a frame: [kind, lease, phase, attempt, body].
"""

import struct
import zlib

from lab import require

BYTES_READ, BYTES_WRITTEN = 2, 3  # of a timeline's bucket


def records(path):
    data, at = path.read_bytes(), 0
    while at + 8 <= len(data):
        size, crc = struct.unpack_from("<II", data, at)
        content = data[at + 8:at + 8 + size]
        if len(content) < size or zlib.crc32(content, zlib.crc32(data[at:at + 4])) != crc:
            return
        yield unpack(content, 0)[0]
        at += 8 + size


def unpack(data, at):
    """The value at `at`, and where the next one begins."""
    tag = data[at]
    at += 1
    if tag <= 0x7f:
        return tag, at
    if tag >= 0xe0:
        return tag - 256, at
    if 0xa0 <= tag <= 0xbf:
        return text(data, at, tag & 31)
    if 0x90 <= tag <= 0x9f:
        return array(data, at, tag & 15)
    if tag in (0xc0, 0xc2, 0xc3):
        return {0xc0: None, 0xc2: False, 0xc3: True}[tag], at
    numbers = {0xcc: ">B", 0xcd: ">H", 0xce: ">I", 0xcf: ">Q", 0xd0: ">b", 0xd1: ">h",
               0xd2: ">i", 0xd3: ">q", 0xcb: ">d", 0xca: ">f"}
    if tag in numbers:
        form = numbers[tag]
        return struct.unpack_from(form, data, at)[0], at + struct.calcsize(form)
    sizes = {0xd9: (">B", text), 0xda: (">H", text), 0xdb: (">I", text), 0xdc: (">H", array),
             0xdd: (">I", array)}
    require(tag in sizes, f"byte 0x{tag:02x} begins no value that muster writes")
    form, read = sizes[tag]
    return read(data, at + struct.calcsize(form), struct.unpack_from(form, data, at)[0])


def text(data, at, size):
    return data[at:at + size].decode(), at + size


def array(data, at, count):
    values = []
    for _ in range(count):
        value, at = unpack(data, at)
        values.append(value)
    return values, at


class Spool:
    def __init__(self, lab, host):
        self.results = lab.directory / f"spool-{host.address}" / "results"

    def runs(self):
        return sorted(path.name for path in self.results.iterdir()) if self.results.exists() else []

    def phases(self, run):
        return sorted((self.results / run).glob("phase.*"),
                      key=lambda path: int(path.name.split(".")[1]))

    def moved(self, path):
        """Bytes in the buckets of a phase's file, and whether its end is there."""
        moved, is_whole = 0, False
        for kind, _, _, _, body in records(path):
            if kind == "timeline":
                moved += sum(bucket[BYTES_READ] + bucket[BYTES_WRITTEN] for bucket in body[1])
            is_whole |= kind == "done"
        return moved, is_whole


class LocalSpool(Spool):
    """Of an agent of the controller's own, by its directory."""

    def __init__(self, directory):
        self.directory = directory
        self.results = directory / "spool" / "results"
