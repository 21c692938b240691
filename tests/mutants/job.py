# SPDX-License-Identifier: MIT
"""A copy of the tree in which mutants are built and tested."""
import os
import shutil
import signal
import subprocess

from records import TOP, is_native

# Seconds: a native program, a program in a VM, everything of one mutant. A mutant that hangs is
# noticed by them.
NATIVE_S, VM_S, BUILD_S = 180, 240, 900
MAKE = ("make", "-j2", "--no-builtin-rules", "-f", "mk/build.mk", "WERROR=0")
# What the module depends on, when tests/vm/run does not load it.
MODULES = "configfs drm drm_shmem_helper drm_exec"


def read(path):
    """The text of a file; nothing if it is not there."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def write(path, text):
    """Makes a file of a text."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Job:
    """A copy of the tree in which one mutant after the other is tried."""

    def __init__(self, number, out):
        self.dir = os.path.join(out, str(number))
        self.tree = os.path.join(self.dir, "tree")
        self.build = os.path.join(self.dir, "build")
        self.log = open(os.path.join(self.dir_made(), "log"), "w", encoding="utf-8")

    def dir_made(self):
        os.makedirs(self.dir, exist_ok=True)
        return self.dir

    def sync(self):
        """Makes the copy equal to the tree. What is equal keeps its time, so that it is not built anew."""
        names = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=TOP, check=True,
                               stdout=subprocess.PIPE).stdout.decode().split("\0")
        names = {n for n in names if n and os.path.exists(os.path.join(TOP, n))}
        for n in names:
            self.put(n, os.path.join(TOP, n))
        for root, _, files in os.walk(self.tree):
            for f in files:
                path = os.path.join(root, f)
                if os.path.relpath(path, self.tree) not in names:
                    os.unlink(path)

    def put(self, name, source):
        path = os.path.join(self.tree, name)
        with open(source, "rb") as f:
            new = f.read()
        try:
            with open(path, "rb") as f:
                if f.read() == new:
                    return
        except OSError:
            os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(new)
        shutil.copymode(source, path)

    def call(self, command, limit, **env):
        """The exit status; 124 when it did not end in time. Its children go with it."""
        self.log.write(f"+ {' '.join(command)}\n")
        self.log.flush()
        ours = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "T")}
        env = {**ours, "O": self.build, "V": "0", "PREFIX": "/usr/local", "DESTDIR": "",
               "LC_ALL": "C.UTF-8", **env}
        p = subprocess.Popen(command, cwd=self.tree, env=env, stdin=subprocess.DEVNULL,
                             stdout=self.log, stderr=self.log, start_new_session=True)
        try:
            return p.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGTERM)
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
            return 124

    def make(self, tests):
        """Builds what the tests need. Warnings are no errors here."""
        targets = {os.path.join(self.build, "tests", t) for t in tests if not t.endswith(".sh")}
        if any(t.endswith(".sh") for t in tests):
            targets |= {"user", "tests-native"}
        if any(not is_native(t) for t in tests):
            targets |= {"all"}
        return self.call([*MAKE, *sorted(targets)], BUILD_S)

    def test(self, tests):
        """Runs tests; returns those that did not pass."""
        failed = []
        for part in ("native", "vm"):
            mine = [t for t in tests if is_native(t) == (part == "native")]
            if not mine:
                continue
            limit = NATIVE_S if part == "native" else VM_S
            self.call(["tests/run", part], limit * len(mine) + 120, T=" ".join(mine),
                      TSR_TEST_TIMEOUT=str(limit), TSR_VM_TIMEOUT=str(limit * len(mine) + 60))
            seen = {}
            with open(os.path.join(self.build, "test-results/results"), encoding="utf-8") as f:
                for line in f:
                    name, passed, fails, _ = line.split()
                    seen.setdefault(name, []).append(int(passed) > 0 and int(fails) == 0)
            failed += [t for t in mine if not all(seen.get(t, [False]))]
            failed += [n for n in seen if n not in mine]
        return failed

    def changed(self, m, function):
        """What a function returns on the tree with a mutant, which is taken back."""
        path = os.path.join(self.tree, m.file)
        with open(path, encoding="utf-8") as f:
            right = f.read()
        wrong = m.apply(right)
        if wrong is None:
            return "does not apply", ""
        with open(path, "w", encoding="utf-8") as f:
            f.write(wrong)
        self.log.write(f"\n== {m.id}\n")
        try:
            return function()
        finally:
            with open(path, "w", encoding="utf-8") as f:
                f.write(right)

    def attempt(self, m):
        """Builds a mutant and runs its tests."""
        def function():
            if self.make(m.tests):
                return "does not build", ""
            failed = self.test(m.tests)
            return ("noticed", " ".join(failed)) if failed else ("survived", "")
        return self.changed(m, function)

    def module(self, m, to):
        """Keeps the module of a mutant."""
        def function():
            ko = os.path.join(self.build, "tessera.ko")
            if self.call([*MAKE, ko], BUILD_S):
                return "does not build", ""
            shutil.copy(ko, to)
            return "", ""
        return self.changed(m, function)

    def modules(self, mutants):
        """Tries several modules in one VM, and in another one if it dies."""
        share = os.path.join(self.dir, "modules")
        shutil.rmtree(share, ignore_errors=True)
        os.makedirs(share)
        verdict = {n: self.module(m, f"{share}/{n}.ko") for n, m in enumerate(mutants)}
        left = {str(n): m.tests for n, m in enumerate(mutants) if not verdict[n][0]}
        if left and self.make({t for tests in left.values() for t in tests}):
            return [("does not build", "")] * len(mutants)
        while left:
            write(f"{share}/todo", "".join(f"{n} {' '.join(t)}\n" for n, t in left.items()))
            limit = VM_S * len(left)
            self.call(["tests/vm/run", "--checks", "--no-module", "--timeout", str(limit), "--modules",
                       MODULES, "--share", share, "--", "tests/mutants/guest", share], limit + 120,
                      TSR_TEST_TIMEOUT=str(VM_S))
            answers = [line.split() for line in read(f"{share}/done").splitlines()]
            died = read(f"{share}/current").strip()
            answers += [[died, "vm/died"]] if died else []
            if not answers:
                verdict.update({int(n): ("VM does not start", "") for n in left})
                break
            for n, *failed in answers:
                left.pop(n, None)
                verdict[int(n)] = ("noticed", " ".join(failed)) if failed else ("survived", "")
            for name in ("done", "current"):
                write(f"{share}/{name}", "")
        return [verdict[n] for n in range(len(mutants))]
