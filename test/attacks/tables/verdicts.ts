import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { syscallProgram } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, MultiStepAttack, AttackContext } from "../attack.ts";
import { Absent } from "../attack.ts";
import { fixturePolicy } from "../fixture.ts";

/** Roles that give a verdict may read the workspace and execute nothing in it. */

interface ExecutionAttack {
  readonly name: string;
  /** Shell script in the workspace, where `program` is an executable and `script` has an interpreter. Prints `ran` on success. */
  readonly script: string;
}

const executionAttacks: ExecutionAttack[] = [];

function executionAttack(row: ExecutionAttack): MultiStepAttack {
  executionAttacks.push(row);
  const run = (mode: Mode) => async (context: AttackContext) => {
    const printed = (await tryAll(context, mode)).split("## ").find((part) => part.startsWith(`${row.name}\n`)) ?? "";
    if (printed.includes("absent")) throw new Absent("the machine has no such program");
    if (!printed.includes("tried")) throw new Error(`it was not tried: ${printed}`);
    return /^ran$/m.test(printed) ? "it ran" : null;
  };
  return { kind: "multi_step", name: row.name, guarded: run("enforce"), control: run("none") };
}

type Mode = "enforce" | "none";
const printed: Partial<Record<Mode, Promise<string>>> = {};

/** One agent runs all rows. */
function tryAll(context: AttackContext, mode: Mode): Promise<string> {
  return (printed[mode] ??= (async () => {
    const cwd = join(context.dir, "tree");
    const home = join(context.dir, "home");
    for (const dir of [cwd, home]) mkdirSync(dir);
    const arch = process.arch === "arm64" ? "arm64" : "x64";
    writeFileSync(join(cwd, "program"), syscallProgram(arch, [{ call: "write", args: [1, "ran\n", 4] }]));
    writeFileSync(join(cwd, "script"), "#!/bin/sh\necho ran\n");
    for (const file of ["program", "script"]) chmodSync(join(cwd, file), 0o755);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, NODE: process.execPath, ID: context.fixture.id };
    const own = { write: [home], read: [cwd, process.execPath] };
    const policy = fixturePolicy(context.fixture, { cwd, own, protect: [], env, executes: false });
    const script = executionAttacks.map((row) => `echo '## ${row.name}'\n(${row.script}\n)\necho tried`).join("\n");
    return (await context.run({ sandbox: mode, argv: ["sh", "-c", script], policy })).stdout;
  })());
}

export const attacks: readonly Attack[] = [
  executionAttack({ name: "execute a program of the workspace", script: "./program" }),
  executionAttack({ name: "execute a script of the workspace", script: "./script" }),
  executionAttack({ name: "execute a copy in its home", script: 'cp program "$HOME/p" && "$HOME/p"' }),
  executionAttack({
    name: "execute a copy in /tmp",
    script: "cp program /tmp/nightshift-$ID && /tmp/nightshift-$ID; rm -f /tmp/nightshift-$ID",
  }),
  executionAttack({
    name: "execute a copy in any writable directory",
    script:
      'for d in /dev/shm /dev /run /var/tmp "$HOME" /tmp .; do cp program "$d/nightshift-$ID" 2>/dev/null && "$d/nightshift-$ID"; rm -f "$d/nightshift-$ID"; done',
  }),
  executionAttack({
    name: "execute a program through the dynamic loader",
    script:
      'cp /bin/echo "$HOME/e"; for ld in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do [ -e $ld ] && $ld "$HOME/e" ran; done',
  }),
  executionAttack({
    name: "load its own library into an existing program",
    script: `lib=$(find /usr/lib -name 'libz.so.1*' -type f | head -1); [ -n "$lib" ] || echo absent; cp "$lib" "$HOME/l.node"; "$NODE" -e 'try { process.dlopen({ exports: {} }, process.env.HOME + "/l.node"); console.log("ran") } catch (e) { if (/self-register/.test(e.message)) console.log("ran"); else console.error(e.message) }'`,
  }),
  executionAttack({
    name: "execute from memory (memfd)",
    script: `command -v perl > /dev/null || echo absent; perl -e '$n = syscall(${process.arch === "arm64" ? 279 : 319}, my $x = "x", 0); open($o, ">&=", $n) or die $!; open($i, "<", "program"); $/ = undef; $all = <$i>; syswrite($o, $all); exec {"/proc/self/fd/$n"} "x"'`,
  }),
  executionAttack({
    name: "add a file to the workspace that it reviews",
    script: "echo x > new 2>/dev/null && echo ran; rm -f new",
  }),
  executionAttack({
    name: "change a file of the workspace that it reviews",
    script: "echo >> script 2>/dev/null && echo ran",
  }),
];
