#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second implementation of the canonical bytes (FP-1..FP-4), from the schema as documented.

It shares no code with the library: it reads the structures as text, writes their bytes and
digests, and compares them with the vectors. Prints TAP.

usage: recompute.py [DIR]        DIR: tests/golden
"""

import os
import re
import struct
import sys

from xxh3 import xxh3_128

SCHEMA = 1
PROCESSORS = {"dm0": 0, "dm1": 1, "compute": 2}
COMPUTE, DATA_MOVEMENT = 1, 2
WORKER = 0


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def string(data):
    return u32(len(data)) + data


def sequence(items):
    items = list(items)
    return u32(len(items)) + b"".join(items)


def decode(text):
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), text.encode())


# ---- Sets of cores --------------------------------------------------------------------------

def parse_cores(text):
    cores = set()
    for part in text.split(";"):
        first, _, last = part.partition("-")
        x0, y0 = map(int, first.split(","))
        x1, y1 = map(int, (last or first).split(","))
        cores |= {(x, y) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1)}
    return frozenset(cores)


def row_major(cores):
    return sorted(cores, key=lambda core: (core[1], core[0]))


def runs_of_row(cores, y):
    """Maximal runs (x0, x1) of a row."""
    row = sorted(x for x, core_y in cores if core_y == y)
    starts = [x for x in row if x - 1 not in row]
    ends = [x for x in row if x + 1 not in row]
    return list(zip(starts, ends))


def write_cores(cores):
    rows = {y: runs_of_row(cores, y) for y in {y for _, y in cores}}
    rects = []
    for y in sorted(rows):
        for run in rows[y]:
            if run in rows.get(y - 1, []):
                continue
            y1 = y
            while run in rows.get(y1 + 1, []):
                y1 += 1
            rects.append(struct.pack("<4H", run[0], y, run[1], y1))
    return sequence(rects)


# ---- Reading --------------------------------------------------------------------------------

class Kernel:
    def __init__(self, name, processor, form, content):
        self.name, self.processor = decode(name), PROCESSORS[processor]
        self.kind = COMPUTE if processor == "compute" else DATA_MOVEMENT
        self.form, self.content = form, decode(content)
        self.definitions, self.flags, self.appended = [], [], []
        self.cores, self.descriptors = None, []


class Descriptor:
    def __init__(self, cores):
        self.cores, self.definitions = cores, []


class Entry:
    def __init__(self):
        self.definitions, self.words, self.common = [], {}, 0


class Structure:
    def __init__(self, name):
        self.name = name
        self.isa, self.toolchain = b"rv32im", bytes(16)
        self.bases, self.slot = [0x14000, 0x24000, 0x34000], 0x10000
        self.tensors, self.buffers, self.compiler_semaphores = [], [], []
        self.kernels, self.entries, self.semaphores = {}, {}, []
        self.resources, self.last = False, None

    def set_of(self, text):
        return self.cores if text == "all" else parse_cores(text)

    def line(self, verb, args):
        getattr(self, "do_" + verb)(*args)

    def do_grid(self, *_):
        pass

    def do_isa(self, isa):
        self.isa = decode(isa)

    def do_slots(self, *numbers):
        self.bases, self.slot = [int(n) for n in numbers[:3]], int(numbers[3])

    def do_toolchain(self, text):
        self.toolchain = bytes.fromhex(text)

    def do_operation(self, name, cores):
        self.title, self.cores = decode(name), parse_cores(cores)

    def do_tensor(self, access, size):
        self.tensors.append((int(access), int(size)))

    def do_cb(self, number, page, count, form, cores):
        self.buffers.append((int(number), int(page), int(count), int(form), self.set_of(cores)))

    def do_compiler_semaphore(self, number, initial, cores):
        self.compiler_semaphores.append((int(number), int(initial), self.set_of(cores)))

    def do_semaphore(self, number, initial, cores):
        self.semaphores.append((int(number), int(initial), self.set_of(cores)))

    def do_kernel(self, name, processor, _handle, form, content):
        self.last = self.kernels[name] = Kernel(name, processor, form, content)

    def do_descriptor(self, kernel, cores):
        self.last = Descriptor(self.set_of(cores))
        self.kernels[kernel].descriptors.append(self.last)

    def do_define(self, name, value=""):
        self.last.definitions.append((decode(name), decode(value)))

    def do_flag(self, flag):
        self.last.flags.append(decode(flag))

    def do_on(self, cores):
        self.last.cores = self.set_of(cores)

    def do_append(self, what):
        known = {"rank": 1, "cores": 2}
        self.last.appended.append(known.get(what) or 0x100 + int(what[len("tensor"):]))

    def do_resources(self):
        self.resources = True

    def do_entry(self, kernel):
        self.last = self.entries[kernel] = Entry()

    def do_words(self, x, y, *words):
        self.last.words[int(x), int(y)] = len(words)

    def do_common(self, *words):
        self.last.common = len(words)


def read_structures(path):
    current = None
    with open(path, encoding="ascii") as lines:
        for line in lines:
            verb, *args = line.split("#")[0].split() or [None]
            if verb == "structure":
                current = Structure(args[0])
            elif verb == "end":
                yield current
            elif verb:
                current.line(verb, args)


# ---- Writing --------------------------------------------------------------------------------

def included(folder, content, seen):
    """(name, content) of each included file, depth first, each path once."""
    for name in re.findall(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)"', content, re.M):
        path = os.path.join(folder, name.decode())
        if path in seen or not os.path.exists(path):
            continue
        seen.add(path)
        with open(path, "rb") as file:
            text = file.read()
        yield name, text
        yield from included(os.path.dirname(path), text, seen)


def source_digest(kernel, folder):
    elf = kernel.form == "elf"
    content = kernel.content
    if kernel.form == "file":
        path = os.path.join(folder, content.decode())
        with open(path, "rb") as file:
            content = file.read()
    data = u32(elf) + string(content) + sequence(string(flag) for flag in kernel.flags)
    if kernel.form == "file":
        for name, text in included(os.path.dirname(path), content, set()):
            data += string(name) + string(text)
    return xxh3_128(data)


def identity(structure, kernel, folder):
    elf = kernel.form == "elf"
    return xxh3_128(u32(SCHEMA) + u32(elf) + (b"" if elf else structure.toolchain) +
                    string(structure.isa) + u32(kernel.processor) +
                    u32(structure.bases[kernel.processor]) + u32(structure.slot) +
                    source_digest(kernel, folder))


def write_semaphores(semaphores):
    return sequence(u32(number) + u32(initial) + u32(WORKER) + write_cores(cores)
                    for number, initial, cores in sorted(semaphores, key=lambda s: s[0]))


def write_words(cores, entry, appended):
    runs = []
    for core in row_major(cores):
        words = entry.words.get(core, 0) + appended
        if runs and runs[-1][1] == words:
            runs[-1][0] += 1
        else:
            runs.append([1, words])
    return u32(entry.common) + sequence(u32(n) + u32(words) for n, words in runs)


def write_descriptor(structure, kernel, descriptor, entry, folder):
    definitions = dict(kernel.definitions)
    definitions.update(descriptor.definitions)
    definitions.update(entry.definitions)
    return (u32(kernel.kind) + u32(kernel.processor) + string(kernel.name) +
            write_cores(descriptor.cores) + sequence(u32(a) for a in kernel.appended) +
            identity(structure, kernel, folder) +
            sequence(string(n) + string(v) for n, v in sorted(definitions.items())) +
            write_words(descriptor.cores, entry, len(kernel.appended)))


def write_descriptors(structure, folder):
    written = []
    for name, kernel in structure.kernels.items():
        descriptors = kernel.descriptors or [Descriptor(kernel.cores or structure.cores)]
        for descriptor in descriptors:
            x, y = row_major(descriptor.cores)[0]
            entry = structure.entries.get(name, Entry())
            written.append(((kernel.kind, kernel.name, y, x),
                            write_descriptor(structure, kernel, descriptor, entry, folder)))
    return sequence(data for _, data in sorted(written))


def by_first_core(buffer):
    x, y = row_major(buffer[4])[0]
    return buffer[0], y, x


def canonical(structure, folder):
    return (u32(SCHEMA) + string(structure.title) + write_cores(structure.cores) +
            sequence(u32(access) + u64(size) for access, size in structure.tensors) +
            sequence(u32(b[0]) + u32(b[1]) + u32(b[2]) + u32(b[3]) + write_cores(b[4])
                     for b in sorted(structure.buffers, key=by_first_core)) +
            write_semaphores(structure.compiler_semaphores) +
            write_descriptors(structure, folder) +
            u32(structure.resources) + write_semaphores(structure.semaphores))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "vectors"), encoding="ascii") as lines:
        vectors = [line.split() for line in lines if not line.startswith("#")]
    structures = list(read_structures(os.path.join(folder, "structures")))
    print("TAP version 13\n1..%d" % len(structures))
    bad = len(structures) != len(vectors)
    for i, structure in enumerate(structures):
        data = canonical(structure, folder)
        mine = [structure.name, xxh3_128(data).hex(), data.hex()]
        same = i < len(vectors) and vectors[i] == mine
        print("%s %d %s" % ("ok" if same else "not ok", i + 1, structure.name))
        if not same:
            print("# this implementation: " + " ".join(mine))
        bad |= not same
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
