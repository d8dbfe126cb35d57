import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syscallProgram } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Play, Stage } from "../attack.ts";
import { Absent } from "../attack.ts";
import { scenePolicy } from "../scene.ts";

/** Roles that give a verdict may read the workspace and execute nothing in it. */

interface Try {
  readonly name: string;
  /** Shell script in the workspace, where `program` is an executable and `script` has an interpreter. Prints `ran` on success. */
  readonly script: string;
}

const tries: Try[] = [];

function attempt(row: Try): Play {
  tries.push(row);
  const play = (mode: Mode) => async (stage: Stage) => {
    const printed = (await tryAll(stage, mode)).split("## ").find((part) => part.startsWith(`${row.name}\n`)) ?? "";
    if (printed.includes("absent")) throw new Absent("the machine has no such program");
    if (!printed.includes("tried")) throw new Error(`it was not tried: ${printed}`);
    return /^ran$/m.test(printed) ? "it ran" : null;
  };
  return { kind: "play", name: row.name, guarded: play("enforce"), control: play("none") };
}

type Mode = "enforce" | "none";
const printed: Partial<Record<Mode, Promise<string>>> = {};

/** One agent tries all of them. */
function tryAll(stage: Stage, mode: Mode): Promise<string> {
  return (printed[mode] ??= (async () => {
    const cwd = join(stage.dir, "tree");
    const home = join(stage.dir, "home");
    for (const dir of [cwd, home]) mkdirSync(dir);
    const arch = process.arch === "arm64" ? "arm64" : "x64";
    writeFileSync(join(cwd, "program"), syscallProgram(arch, [{ call: "write", args: [1, "ran\n", 4] }]));
    writeFileSync(join(cwd, "script"), "#!/bin/sh\necho ran\n");
    for (const file of ["program", "script"]) chmodSync(join(cwd, file), 0o755);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, NODE: process.execPath, ID: stage.scene.id };
    const own = { write: [home], read: [cwd, process.execPath] };
    const policy = scenePolicy(stage.scene, { cwd, own, protect: [], env, executes: false });
    const script = tries.map((row) => `echo '## ${row.name}'\n(${row.script}\n)\necho tried`).join("\n");
    return (await stage.run({ sandbox: mode, argv: ["sh", "-c", script], policy })).stdout;
  })());
}

export const attacks: readonly Attack[] = [
  attempt({ name: "execute a program of the workspace", script: "./program" }),
  attempt({ name: "execute a script of the workspace", script: "./script" }),
  attempt({ name: "execute a copy in its home", script: 'cp program "$HOME/p" && "$HOME/p"' }),
  attempt({
    name: "execute a copy in /tmp",
    script: "cp program /tmp/nightshift-$ID && /tmp/nightshift-$ID; rm -f /tmp/nightshift-$ID",
  }),
  attempt({
    name: "execute a copy in any place that can be written",
    script:
      'for d in /dev/shm /dev /run /var/tmp "$HOME" /tmp .; do cp program "$d/nightshift-$ID" 2>/dev/null && "$d/nightshift-$ID"; rm -f "$d/nightshift-$ID"; done',
  }),
  attempt({
    name: "load a program by the loader instead of the kernel",
    script:
      'cp /bin/echo "$HOME/e"; for ld in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do [ -e $ld ] && $ld "$HOME/e" ran; done',
  }),
  attempt({
    name: "load a library of its own into a program that is there",
    script: `lib=$(find /usr/lib -name 'libz.so.1*' -type f | head -1); [ -n "$lib" ] || echo absent; cp "$lib" "$HOME/l.node"; "$NODE" -e 'try { process.dlopen({ exports: {} }, process.env.HOME + "/l.node"); console.log("ran") } catch (e) { if (/self-register/.test(e.message)) console.log("ran"); else console.error(e.message) }'`,
  }),
  attempt({
    name: "execute from memory (memfd)",
    script: `command -v perl > /dev/null || echo absent; perl -e '$n = syscall(${process.arch === "arm64" ? 279 : 319}, my $x = "x", 0); open($o, ">&=", $n) or die $!; open($i, "<", "program"); $/ = undef; $all = <$i>; syswrite($o, $all); exec {"/proc/self/fd/$n"} "x"'`,
  }),
  attempt({ name: "change the workspace that it judges", script: "echo x > new 2>/dev/null && echo ran; rm -f new" }),
  attempt({ name: "change a file of the workspace that it judges", script: "echo >> script 2>/dev/null && echo ran" }),
];
