import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMITS } from "../../../src/testing/policy.ts";
import type { SandboxLimits } from "../../../src/ports/sandbox.ts";
import type { JobCommand } from "../../../src/ports/supervisor.ts";
import type { Attack, Play, Ran, Stage } from "../attack.ts";
import { scenePolicy } from "../scene.ts";

const MB = 2 ** 20;
/** Gives periodic checks time to run. The control does not wait. */
const SLOWLY = { PAUSE: "0.1", SECONDS: "5" };
const AT_ONCE = { PAUSE: "0", SECONDS: "0" };

interface Bomb {
  readonly name: string;
  /** Shell script; `$NODE` is Node. */
  readonly script: string;
  readonly limits: Partial<SandboxLimits>;
  /** Returns what it obtained despite the limits, or null. */
  readonly harm: (ran: Ran, dir: string) => string | null;
  readonly changes?: Partial<JobCommand>;
  /** Further limits that the control removes. */
  readonly unlimited?: Partial<JobCommand>;
  readonly open?: NonNullable<Play["open"]>;
}

/** The same command with and without a limit. Bounded, so that the control does no damage. */
function bomb({ name, script, limits, harm, changes = {}, unlimited = {}, open }: Bomb): Play {
  const play =
    (sandbox: "enforce" | "none", within: SandboxLimits, more: Partial<JobCommand>) => async (stage: Stage) => {
      const cwd = join(stage.dir, "work");
      mkdirSync(cwd);
      const policy = scenePolicy(stage.scene, {
        cwd,
        own: { write: [cwd], read: [stage.scene.kit, process.execPath] },
        protect: [],
        env: {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          HOME: cwd,
          NODE: process.execPath,
          KIT: stage.scene.kit,
          ID: stage.scene.id,
          ...(sandbox === "enforce" ? SLOWLY : AT_ONCE),
        },
        limits: within,
      });
      const ran = await stage.run({ sandbox, argv: ["sh", "-c", script], policy, changes: more });
      if (ran.record.error !== null && ran.record.error.kind !== "disk_full")
        throw new Error(JSON.stringify(ran.record.error));
      return harm(ran, cwd);
    };
  return {
    kind: "play",
    name,
    ...(open === undefined ? {} : { open }),
    guarded: play("enforce", { ...TEST_LIMITS, ...limits }, changes),
    control: play("none", TEST_LIMITS, { ...changes, ...unlimited }),
  };
}

const reached =
  (word: string) =>
  ({ stdout }: Ran) =>
    stdout.includes(word) ? word : null;

const endedOtherThan =
  (by: string) =>
  ({ record, stdout, stderr }: Ran) => {
    const endedBy = record.commands[0]?.endedBy;
    return endedBy === by ? null : `it ended by ${endedBy}: ${stdout.slice(-100)} ${stderr.slice(-200)}`;
  };

const size = (name: string, most: number) => (_: Ran, dir: string) => {
  const bytes = statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes > most ? `${bytes} bytes` : null;
};

/** Holds this much memory for a while. */
const hold = (bytes: number) =>
  `"$NODE" -e 'const b = []; for (let n = 0; n < ${bytes}; n += 1e7) b.push(Buffer.alloc(1e7, 1)); console.log("holds it"); setTimeout(() => b.length, process.env.SECONDS * 1000)'`;

/** Starts sleeping processes until it fails, and prints how many there were. */
const FORKS = `"$NODE" -e 'let n = 0; const next = () => { try { const c = require("child_process").spawn("sleep", ["2"]); c.once("error", done); c.once("spawn", () => ++n < 80 ? next() : done()); } catch { done() } }; const done = () => { console.log(n >= 80 ? "all of them" : "only " + n); process.exit() }; next()'`;

/**
 * Measures its own processor time, so that other load changes little. The limit is one second, and one more for processes that
 * ignore the signal; the kernel counts in ticks, some of which a busy machine misses.
 */
const BURN = `"$NODE" -e 'process.on("SIGXCPU", () => {}); for (let used = 0; used < 4e6;) { const { user, system } = process.cpuUsage(); used = user + system } console.log("burnt it all")'`;

/** Memory that belongs to no process: unnamed files. The numbers are those of memfd_create and fallocate. */
const NAMELESS = `cat > hold.ts <<'END'
const { syscallProgram, RESULT } = await import(process.env.KIT + "/src/testing/syscalls/syscall-program.ts");
const x64 = process.arch === "x64";
const calls = [
  ...[1, 2, 3].flatMap(() => [
    { call: x64 ? 319 : 279, args: ["x", 0] },
    { call: x64 ? 285 : 47, args: [RESULT, 0, 0, 50_000_000] },
  ]),
  { call: x64 ? 35 : 101, args: [{ words: [Number(process.env.SECONDS), 0] }, 0] },
];
(await import("node:fs")).writeFileSync("hold", syscallProgram(process.arch, calls), { mode: 0o755 });
END
"$NODE" hold.ts && ./hold && echo holds it`;

/** Fills System V shared memory, which would stay after the process ends; the control removes it. The numbers are those of shmget, shmat, getrandom and shmctl. */
const SEGMENTS = `cat > hold.ts <<'END'
const { syscallProgram, RESULT } = await import(process.env.KIT + "/src/testing/syscalls/syscall-program.ts");
const [get, attach, fill, control] = process.arch === "x64" ? [29, 30, 318, 31] : [194, 196, 278, 195];
const calls = [1, 2].flatMap(() => {
  const key = Math.floor(1 + Math.random() * 0x7fff_fffe);
  return [
    { call: get, args: [key, 25_000_000, 0o3600] },
    { call: attach, args: [RESULT, 0, 0] },
    { call: fill, args: [RESULT, 25_000_000, 0] },
    { call: get, args: [key, 0, 0] },
    { call: control, args: [RESULT, 0, 0] },
  ];
});
(await import("node:fs")).writeFileSync("hold", syscallProgram(process.arch, calls), { mode: 0o755 });
END
"$NODE" hold.ts && ./hold && echo holds it`;

export const attacks: readonly Attack[] = [
  bomb({ name: "a fork bomb", script: FORKS, limits: { processes: 64 }, harm: reached("all of them") }),
  bomb({
    name: "raise its own limits",
    script: "for l in -d -f -p -t; do (ulimit $l 100000000 && echo raised) 2>/dev/null; done; echo tried",
    limits: { processes: 64, memoryBytes: 400 * MB, fileBytes: 10 * MB, cpuSeconds: 20 },
    harm: reached("raised"),
  }),
  bomb({ name: "a memory bomb", script: hold(400e6), limits: { memoryBytes: 300 * MB }, harm: reached("holds it") }),
  bomb({
    name: "a memory bomb of many processes",
    script: `${[1, 2, 3].map(() => `${hold(60e6)} &`).join("\n")} wait`,
    limits: { treeMemoryBytes: 120 * MB },
    harm: endedOtherThan("memory"),
  }),
  bomb({
    name: "a memory bomb that no process holds (memfd)",
    script: NAMELESS,
    limits: { treeMemoryBytes: 100 * MB },
    harm: endedOtherThan("memory"),
  }),
  bomb({
    name: "a memory bomb that outlives its process (System V)",
    script: SEGMENTS,
    limits: { tmpBytes: 40 * MB },
    harm: reached("holds it"),
  }),
  bomb({
    name: "burn processor time without end, deaf to the kernel's first warning",
    script: BURN,
    limits: { cpuSeconds: 1 },
    changes: { timeoutMs: 100_000 },
    harm: reached("burnt it all"),
  }),
  bomb({
    name: "one huge file",
    script: "head -c 12000000 /dev/zero > big",
    limits: { fileBytes: 10 * MB },
    harm: size("big", 10 * MB),
  }),
  bomb({
    name: "a huge file without content",
    script: "truncate -s 50G sparse",
    limits: {},
    harm: size("sparse", 2 ** 30),
  }),
  ...["/tmp", "/dev/shm"].map((dir) =>
    bomb({
      name: `fill ${dir}`,
      script: `head -c 12000000 /dev/zero > ${dir}/nightshift-attack-$ID; wc -c < ${dir}/nightshift-attack-$ID; rm ${dir}/nightshift-attack-$ID`,
      limits: { tmpBytes: 8 * MB },
      harm: reached("12000000"),
    }),
  ),
  bomb({
    name: "many files in the workspace",
    script:
      'i=0; while [ $i -lt 50 ]; do head -c 100000 /dev/urandom > "f$i"; i=$((i+1)); sleep $PAUSE; done; echo all of them',
    limits: { diskBytes: MB },
    harm: endedOtherThan("disk"),
  }),
  bomb({
    name: "a file in the workspace that was removed and is still open",
    script:
      "exec 9> gone; rm gone; i=0; while [ $i -lt 50 ]; do head -c 100000 /dev/urandom >&9; i=$((i+1)); sleep $PAUSE; done; echo all of them",
    limits: { diskBytes: MB },
    harm: endedOtherThan("disk"),
  }),
  bomb({
    name: "many empty files in the workspace",
    script: `"$NODE" -e 'const fs = require("fs"); let n = 0; const more = () => { for (let i = 0; i < 60; i++) fs.writeFileSync("f" + n++, ""); if (n < 3000) setTimeout(more, process.env.PAUSE * 1000); else console.log("all of them") }; more()'`,
    limits: { diskBytes: MB },
    harm: endedOtherThan("disk"),
  }),
  bomb({
    name: "the last free bytes of the disk",
    script: "sleep $SECONDS",
    limits: { diskFloorBytes: 2 ** 60 },
    // The disk is full, which is not the command's fault: the run reports that there is no space.
    harm: ({ record }) => (record.error?.kind === "disk_full" ? null : `it ended by ${record.commands[0]?.endedBy}`),
  }),
  bomb({
    name: "more output than anybody wants",
    script: "yes | head -c 8000000; sleep $SECONDS",
    limits: {},
    changes: { killOutputBytes: 500_000 },
    unlimited: { killOutputBytes: null },
    harm: endedOtherThan("output"),
  }),
  bomb({
    name: "work without end",
    script: "trap '' TERM; i=0; while [ $i -lt 100 ]; do i=$((i+1)); sleep $PAUSE; done; echo went on",
    limits: {},
    changes: { timeoutMs: 400 },
    unlimited: { timeoutMs: 60_000 },
    harm: endedOtherThan("timeout"),
  }),
];
