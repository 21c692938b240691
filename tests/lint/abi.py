#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a program sees of libtessera.so, as text: functions, structs with offsets, constants.

Read from the debug information by abidw; only what functions of the version map reach. The text is
lib/libtessera.abi; a difference is a change of the interface, to be seen in review.

usage: abi.py LIBRARY HEADERS
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET


class Abi:
    def __init__(self, library, constants):
        self.types = {}
        self.functions = {}
        self.records = {}
        exported = {e.get("name") for e in library.iter("elf-symbol")}
        for e in library.iter():
            key = e.get("id")
            known = self.types.get(key)
            if key and (known is None or known.get("is-declaration-only")):
                self.types[key] = e
            if e.tag == "function-decl" and e.get("name") in exported:
                self.functions[e.get("name")] = e
        if exported - set(self.functions):
            sys.exit(f"no debug information: {exported - set(self.functions)}")
        for e in constants.iter("enum-decl"):
            if e.get("name").startswith("tsr_"):
                self.keep(e)

    def name(self, key, inner=""):
        """How C writes that type, around the name of what has it."""
        t = self.types[key]
        tag = t.tag
        space = " " + inner if inner else ""
        if tag in ("class-decl", "union-decl", "enum-decl"):
            self.keep(t)
            kind = {"class-decl": "struct", "union-decl": "union", "enum-decl": "enum"}[tag]
            return f"{kind} {t.get('name')}{space}"
        if tag == "typedef-decl":
            return self.name_typedef(t) + space
        if tag == "qualified-type-def":
            words = [w for w in ("const", "volatile") if t.get(w) == "yes"]
            target = self.types[t.get("type-id")]
            if target.tag == "pointer-type-def":
                return self.name(t.get("type-id"), " ".join(words) + space)
            return " ".join(words) + " " + self.name(t.get("type-id"), inner)
        if tag == "pointer-type-def":
            target = self.types[t.get("type-id")].tag
            wrap = target in ("function-type", "array-type-def")
            return self.name(t.get("type-id"), f"(*{inner})" if wrap else f"*{inner}")
        if tag == "array-type-def":
            length = t.find("subrange").get("length")
            return self.name(t.get("type-id"), f"{inner}[{length}]")
        if tag == "function-type":
            return self.signature(t, inner)
        return t.get("name") + space

    def name_typedef(self, t):
        key = "typedef " + t.get("name")
        if t.get("name").startswith("tsr_") and key not in self.records:
            self.records[key] = None
            self.records[key] = "typedef " + self.name(t.get("type-id"), t.get("name")) + ";\n"
        return t.get("name")

    def signature(self, f, inner):
        args = []
        for p in f.findall("parameter"):
            args.append("..." if p.get("is-variadic") else self.name(p.get("type-id")))
        result = f.find("return").get("type-id")
        return self.name(result, f"{inner}({', '.join(args) or 'void'})")

    def keep(self, t):
        if not t.get("name", "").startswith("tsr_") or t.get("is-declaration-only"):
            return
        key = t.tag + t.get("name")
        if key in self.records:
            return
        self.records[key] = None
        if t.tag == "enum-decl":
            lines = [f"\t{e.get('name')} = {e.get('value')}," for e in t.findall("enumerator")]
            self.records[key] = "enum " + t.get("name") + " {\n" + "\n".join(lines) + "\n};\n"
            return
        lines = []
        for m in t.findall("data-member"):
            v = m.find("var-decl")
            offset = int(m.get("layout-offset-in-bits", 0)) // 8
            lines.append(f"\t/* {offset:4} */ {self.name(v.get('type-id'), v.get('name'))};")
        size = int(t.get("size-in-bits", 0)) // 8
        kind = "union" if t.tag == "union-decl" else "struct"
        self.records[key] = "\n".join([f"{kind} {t.get('name')} {{", *lines,
                                       f"}}; /* {size} bytes */\n"])

    def text(self):
        functions = [self.signature(f, name) + ";" for name, f in sorted(self.functions.items())]
        out = ["SPDX-License-Identifier: MIT", "Made by make abi. The interface of libtessera.so:"
               " functions, then what they take and give.", "", *functions, ""]
        out += [r for _, r in sorted(self.records.items())]
        return "\n".join(out)


def read(*args):
    out = subprocess.run(["abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path",
                          *args], check=True, capture_output=True).stdout
    return ET.fromstring(out)


def main():
    library, headers = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as tmp:
        # Enums are in no signature: fields that hold them have fixed widths.
        subprocess.run(["gcc", "-g", "-fno-eliminate-unused-debug-types", "-shared", "-fPIC", "-xc",
                        "-o", tmp + "/enums.so", "-I", headers, "-"], check=True,
                       input=b"#include <tessera/tessera.h>\nint tsr_any;\n")
        constants = read("--load-all-types", tmp + "/enums.so")
    macros = []
    for path in sorted(pathlib.Path(headers, "tessera").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        macros += re.findall(r"^#define\s+TSR_\w+[ \t]+\S.*", text, flags=re.M)
    public = read("--headers-dir", headers + "/tessera", "--drop-private-types", library)
    sys.stdout.write(Abi(public, constants).text())
    print("", *sorted(" ".join(m.split()) for m in macros), sep="\n")


main()
