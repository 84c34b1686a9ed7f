"""However a shell is told to write, it is recorded: no hook sees these, and none of them is lost."""

import asyncio
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.app import Bridge
from bridge.client import connect
from tests.versions.recorded_vault import all_bytes
from tests.versions.test_outside_programs import recording, undo_all, until_listed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="the programs are those of a POSIX shell"),
]

PYTHON = shlex.quote(sys.executable)
IMPORTS = "import mmap, os, subprocess, sys"
SPELLINGS = {
    # the shell's own
    "redirected": 'echo x > "$f"',
    "appended": 'echo x >> "$f"',
    "emptied": ': > "$f"',
    "emptied without a command": '> "$f"',
    "here document": 'cat > "$f" <<EOF\nhare\nEOF',
    "descriptor": 'exec 3> "$f"; echo x >&3',
    "descriptor for both": 'exec 3<> "$f"; printf x >&3',
    "eval": "eval 'echo x > \"$f\"'",
    "another shell": "sh -c 'echo x > \"$f\"'",
    "a shell in a shell": 'sh -c "sh -c \'echo x > \\"\\$f\\"\'"',
    "piped into a shell": "printf 'echo x > \"$f\"' | sh",
    "encoded": "printf 'cHJpbnRmIHggPiAiJGYi' | base64 -d | sh",
    "in the background": '(echo x > "$f") & wait',
    "after a hangup": "nohup sh -c 'echo x > \"$f\"' > /dev/null 2>&1",
    "environment": 'env -i "f=$f" PATH="$PATH" sh -c \'echo x > "$f"\'',
    "function": 'write() { echo x > "$1"; }; write "$f"',
    "name in pieces": 'a=${f%.md}; echo x > "$a.md"',
    "pattern": 'for each in "${f%.md}".m?; do echo x > "$each"; done',
    # other ways to the same place
    "absolute": 'echo x > "$PWD/$f"',
    "with dots": 'echo x > "../$(basename "$PWD")/./$f"',
    "through a link outside": 'ln -s "$PWD" "$out/way"; echo x > "$out/way/$f"',
    "from elsewhere": 'there=$PWD; cd /; echo x > "$there/$f"',
    "through the process": 'echo x > "/proc/self/cwd/$f"',
    # programs that write
    "tee": 'echo x | tee "$f" > /dev/null',
    "tee -a": 'echo x | tee -a "$f" > /dev/null',
    "sed -i": 'sed -i.bak s/fox/hare/ "$f"',
    "sed into another": 'sed s/fox/hare/ "$f" > "$out/s" && mv "$out/s" "$f"',
    "perl -pi": 'perl -pi -e s/fox/hare/ "$f"',
    "perl": 'perl -e \'open(F, ">", $ARGV[0]); print F "x"; close F\' "$f"',
    "awk": 'awk \'BEGIN { print "x" > ARGV[1] }\' "$f"',
    "awk into another": 'awk \'{ print "x" }\' "$f" > "$out/a"; cat "$out/a" > "$f"',
    "dd": 'printf x | dd of="$f" 2> /dev/null',
    "dd in place": 'printf x | dd of="$f" conv=notrunc 2> /dev/null',
    "truncate": 'truncate -s 3 "$f"',
    "sort -o": 'printf "b\\na\\n" >> "$f"; sort -o "$f" "$f"',
    "split": 'split -b 4 "$f" "$f.part"',
    "patch": 'printf -- "--- a\\n+++ b\\n@@ -1 +1 @@\\n-fox\\n+hare\\n" | patch -s "$f"',
    "git apply": 'printf -- "--- a/$f\\n+++ b/$f\\n@@ -1 +1 @@\\n-fox\\n+hare\\n" | git apply --unsafe-paths -',
    "ed": 'printf "1s/fox/hare/\\nw\\nq\\n" | ed -s "$f"',
    "ex": 'ex -s -c "s/fox/hare/" -c x "$f"',
    "curl": 'printf x > "$out/c"; curl -s -o "$f" "file://$out/c"',
    "same size and time": 'cp -p "$f" "$out/t"; printf F | dd of="$f" conv=notrunc 2> "$out/d"; touch -r "$out/t" "$f"',
    # files that take its place
    "cp": 'printf x > "$out/p"; cp "$out/p" "$f"',
    "cp -f": 'printf x > "$out/p"; cp -f "$out/p" "$f"',
    "mv": 'printf x > "$out/m"; mv -f "$out/m" "$f"',
    "ln -f": 'printf x > "$out/l"; ln -f "$out/l" "$f"; rm "$out/l"',
    "install": 'printf x > "$out/i"; install -m 600 "$out/i" "$f"',
    "tar": 'mkdir "$out/tar"; printf x > "$out/tar/$f"; tar -C "$out/tar" -cf "$out/x.tar" "$f"; tar -xf "$out/x.tar"',
    "rsync": 'printf x > "$out/r"; rsync --inplace "$out/r" "$f"',
    # files that go
    "rm": 'rm "$f"',
    "rm quoted": '\\r"m" -f "$f"',
    "rm put together": '$(printf r%s m) "$f"',
    "unlink": 'unlink "$f"',
    "find -delete": 'find . -name "$f" -delete',
    "find -exec": 'find . -name "$f" -exec rm {} +',
    "xargs": 'printf "%s\\0" "$f" | xargs -0 rm',
    "renamed": 'mv "$f" "gone $f"',
    "moved out": 'mv "$f" "$out/gone"',
    "packed": 'gzip "$f"',
    # programs of one's own
    **{
        f"python, {name}": f'{PYTHON} -c {shlex.quote(f"{IMPORTS}; a, b = sys.argv[1:]; {code}")} "$f" "$out/y"'
        for name, code in {
            "written": "open(a, 'w').write('x')",
            "appended": "open(a, 'a').write('x')",
            "replaced": "open(b, 'w').write('x'); os.replace(b, a)",
            "removed": "os.unlink(a)",
            "cut": "os.truncate(a, 1)",
            "one byte": "os.pwrite(os.open(a, os.O_RDWR), b'F', 0)",
            "in memory": "f = open(a, 'r+b'); mmap.mmap(f.fileno(), 0)[:1] = b'F'",
            "by a program": "subprocess.run(['cp', '/dev/null', a], check=True)",
        }.items()
    },
    "python from a pipe": f"printf \"import sys; open(sys.argv[1], 'a').write('x')\" | {PYTHON} - \"$f\"",
    "node": "node -e \"require('fs').writeFileSync(process.argv[1], 'x')\" \"$f\"",
    "node, removed": 'node -e "require(\'fs\').rmSync(process.argv[1])" "$f"',
}
"""Each changes the note `$f` of the folder it runs in; `$out` is a folder elsewhere."""

NEEDED = {
    **{name: name for name in ("patch", "ed", "ex", "curl", "rsync", "perl")},
    "perl -pi": "perl",
    "git apply": "git",
    "node": "node",
    "node, removed": "node",
    "packed": "gzip",
}
"""What a machine may be without."""
IN_LINUX = "through the process"


def note_of(number: int) -> str:
    return f"Note {number}.md"


def run_all(vault: Path, elsewhere: Path) -> list[str]:
    """Tell a shell in each of the ways; returns those that this machine has not."""
    missing = []
    for number, (name, script) in enumerate(SPELLINGS.items()):
        out = elsewhere / str(number)
        out.mkdir()
        if (name in NEEDED and shutil.which(NEEDED[name]) is None) or (name == IN_LINUX and sys.platform != "linux"):
            missing.append(name)
            continue
        variables = os.environ | {"f": note_of(number), "out": str(out)}
        done = subprocess.run(  # noqa: S603 - ours
            ["/bin/sh", "-ec", script], cwd=vault, env=variables, capture_output=True, check=False
        )
        assert done.returncode == 0, (name, done.stderr)
    return missing


@pytest.mark.parametrize("down", [False, True], ids=["while it runs", "while it is down"])
async def test_every_way_to_write_by_a_shell_is_recorded_and_taken_back(tmp_path: Path, *, down: bool) -> None:
    vault, elsewhere = tmp_path / "Vault", tmp_path / "elsewhere"
    vault.mkdir()
    elsewhere.mkdir()
    for number in range(len(SPELLINGS)):
        (vault / note_of(number)).write_bytes(b"fox\n")
    before = all_bytes(vault)
    missing: list[str] = []
    async with Bridge(vault), connect(vault, name="Ada", role="host") as host:
        await recording(host)
        if not down:
            missing = await asyncio.to_thread(run_all, vault, elsewhere)
            await until_listed(host, vault, before)
            check(vault, before, missing)
            await undo_all(host)
    if down:
        missing = await asyncio.to_thread(run_all, vault, elsewhere)
        async with Bridge(vault), connect(vault, name="Ada", role="host") as host:
            await until_listed(host, vault, before)
            check(vault, before, missing)
            await undo_all(host)
    assert all_bytes(vault) == before


def check(vault: Path, before: dict[str, bytes], missing: list[str]) -> None:
    """Every one of them has done something, or there would be nothing to record."""
    after = all_bytes(vault)
    idle = [name for number, name in enumerate(SPELLINGS) if after.get(note_of(number)) == before[note_of(number)]]
    assert sorted(idle) == sorted([*missing, "split"])
    assert len(SPELLINGS) - len(missing) >= 55
