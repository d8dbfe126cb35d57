import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { TEST_LIMITS } from "../../../src/testing/policy.ts";
import type { SandboxLimits } from "../../../src/ports/sandbox.ts";
import type { JobCommand } from "../../../src/ports/supervisor.ts";
import type { Attack, MultiStepAttack, RunResult, AttackContext } from "../attack.ts";
import { fixturePolicy } from "../fixture.ts";

const MB = 2 ** 20;
/** Gives periodic checks time to run. The control does not wait. */
const WITH_PAUSES = { PAUSE: "0.1", SECONDS: "5" };
const WITHOUT_PAUSES = { PAUSE: "0", SECONDS: "0" };

interface LimitAttack {
  readonly name: string;
  /** Shell script; `$NODE` is Node. */
  readonly script: string;
  readonly limits: Partial<SandboxLimits>;
  /** Returns what it obtained despite the limits, or null. */
  readonly harm: (ran: RunResult, dir: string) => string | null;
  readonly changes?: Partial<JobCommand>;
  /** Further limits that the control removes. */
  readonly unlimited?: Partial<JobCommand>;
  readonly open?: NonNullable<MultiStepAttack["open"]>;
}

/** The same command with and without a limit. Bounded, so that the control does no damage. */
function limitAttack({ name, script, limits, harm, changes = {}, unlimited = {}, open }: LimitAttack): MultiStepAttack {
  const run =
    (sandbox: "enforce" | "none", effectiveLimits: SandboxLimits, commandChanges: Partial<JobCommand>) =>
    async (context: AttackContext) => {
      const cwd = join(context.dir, "work");
      mkdirSync(cwd);
      const policy = fixturePolicy(context.fixture, {
        cwd,
        own: { write: [cwd], read: [context.fixture.kit, process.execPath] },
        protect: [],
        env: {
          PATH: "/usr/local/bin:/usr/bin:/bin",
          HOME: cwd,
          NODE: process.execPath,
          KIT: context.fixture.kit,
          ID: context.fixture.id,
          ...(sandbox === "enforce" ? WITH_PAUSES : WITHOUT_PAUSES),
        },
        limits: effectiveLimits,
      });
      const ran = await context.run({ sandbox, argv: ["sh", "-c", script], policy, changes: commandChanges });
      if (ran.record.error !== null && ran.record.error.kind !== "disk_full")
        throw new Error(JSON.stringify(ran.record.error));
      return harm(ran, cwd);
    };
  return {
    kind: "multi_step",
    name,
    ...(open === undefined ? {} : { open }),
    guarded: run("enforce", { ...TEST_LIMITS, ...limits }, changes),
    control: run("none", TEST_LIMITS, { ...changes, ...unlimited }),
  };
}

const printed =
  (word: string) =>
  ({ stdout }: RunResult) =>
    stdout.includes(word) ? word : null;

const notEndedBy =
  (by: string) =>
  ({ record, stdout, stderr }: RunResult) => {
    const endedBy = record.commands[0]?.endedBy;
    return endedBy === by ? null : `it ended by ${endedBy}: ${stdout.slice(-100)} ${stderr.slice(-200)}`;
  };

const fileLargerThan = (name: string, maxBytes: number) => (_: RunResult, dir: string) => {
  const bytes = statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytes > maxBytes ? `${bytes} bytes` : null;
};

/** Holds this much memory for a while. */
const holdMemory = (bytes: number) =>
  `"$NODE" -e 'const b = []; for (let n = 0; n < ${bytes}; n += 1e7) b.push(Buffer.alloc(1e7, 1)); console.log("holds it"); setTimeout(() => b.length, process.env.SECONDS * 1000)'`;

/** Starts sleeping processes until it fails, and prints how many there were. */
const FORK_BOMB = `"$NODE" -e 'let n = 0; const next = () => { try { const c = require("child_process").spawn("sleep", ["2"]); c.once("error", done); c.once("spawn", () => ++n < 80 ? next() : done()); } catch { done() } }; const done = () => { console.log(n >= 80 ? "all of them" : "only " + n); process.exit() }; next()'`;

/**
 * Measures its own processor time, so that other load changes little. The limit is one second, and one more for processes that
 * ignore the signal; the kernel counts in ticks, some of which a busy machine misses.
 */
const BURN_CPU = `"$NODE" -e 'process.on("SIGXCPU", () => {}); for (let used = 0; used < 4e6;) { const { user, system } = process.cpuUsage(); used = user + system } console.log("used all CPU time")'`;

/** Memory that belongs to no process: unnamed files. The numbers are those of memfd_create and fallocate. */
const HOLD_UNNAMED_FILES = `cat > hold.ts <<'END'
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
const HOLD_SHARED_MEMORY = `cat > hold.ts <<'END'
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
  limitAttack({
    name: "start more processes than the limit",
    script: FORK_BOMB,
    limits: { processes: 64 },
    harm: printed("all of them"),
  }),
  limitAttack({
    name: "raise its own limits",
    script: "for l in -d -f -p -t; do (ulimit $l 100000000 && echo raised) 2>/dev/null; done; echo tried",
    limits: { processes: 64, memoryBytes: 400 * MB, fileBytes: 10 * MB, cpuSeconds: 20 },
    harm: printed("raised"),
  }),
  limitAttack({
    name: "allocate more memory than the limit",
    script: holdMemory(400e6),
    limits: { memoryBytes: 300 * MB },
    harm: printed("holds it"),
  }),
  limitAttack({
    name: "allocate more memory than the limit with several processes",
    script: `${[1, 2, 3].map(() => `${holdMemory(60e6)} &`).join("\n")} wait`,
    limits: { treeMemoryBytes: 120 * MB },
    harm: notEndedBy("memory"),
  }),
  limitAttack({
    name: "allocate more memory than the limit in unnamed files (memfd)",
    script: HOLD_UNNAMED_FILES,
    limits: { treeMemoryBytes: 100 * MB },
    harm: notEndedBy("memory"),
  }),
  limitAttack({
    name: "allocate more memory than the limit in System V shared memory",
    script: HOLD_SHARED_MEMORY,
    limits: { tmpBytes: 40 * MB },
    harm: printed("holds it"),
  }),
  limitAttack({
    name: "use more CPU time than the limit by ignoring SIGXCPU",
    script: BURN_CPU,
    limits: { cpuSeconds: 1 },
    changes: { timeoutMs: 100_000 },
    harm: printed("used all CPU time"),
  }),
  limitAttack({
    name: "write a file that is larger than the limit",
    script: "head -c 12000000 /dev/zero > big",
    limits: { fileBytes: 10 * MB },
    harm: fileLargerThan("big", 10 * MB),
  }),
  limitAttack({
    name: "create a huge sparse file",
    script: "truncate -s 50G sparse",
    limits: {},
    harm: fileLargerThan("sparse", 2 ** 30),
  }),
  ...["/tmp", "/dev/shm"].map((dir) =>
    limitAttack({
      name: `write more than the limit to ${dir}`,
      script: `head -c 12000000 /dev/zero > ${dir}/nightshift-attack-$ID; wc -c < ${dir}/nightshift-attack-$ID; rm ${dir}/nightshift-attack-$ID`,
      limits: { tmpBytes: 8 * MB },
      harm: printed("12000000"),
    }),
  ),
  limitAttack({
    name: "exceed the disk limit with many files",
    script:
      'i=0; while [ $i -lt 50 ]; do head -c 100000 /dev/urandom > "f$i"; i=$((i+1)); sleep $PAUSE; done; echo all of them',
    limits: { diskBytes: MB },
    harm: notEndedBy("disk"),
  }),
  limitAttack({
    name: "exceed the disk limit with a removed file that is still open",
    script:
      "exec 9> gone; rm gone; i=0; while [ $i -lt 50 ]; do head -c 100000 /dev/urandom >&9; i=$((i+1)); sleep $PAUSE; done; echo all of them",
    limits: { diskBytes: MB },
    harm: notEndedBy("disk"),
  }),
  limitAttack({
    name: "exceed the disk limit with many empty files",
    script: `"$NODE" -e 'const fs = require("fs"); let n = 0; const more = () => { for (let i = 0; i < 60; i++) fs.writeFileSync("f" + n++, ""); if (n < 3000) setTimeout(more, process.env.PAUSE * 1000); else console.log("all of them") }; more()'`,
    limits: { diskBytes: MB },
    harm: notEndedBy("disk"),
  }),
  limitAttack({
    name: "use the last free space of the disk",
    script: "sleep $SECONDS",
    limits: { diskFloorBytes: 2 ** 60 },
    // The disk is full, which is not the command's fault: the run reports that there is no space.
    harm: ({ record }) => (record.error?.kind === "disk_full" ? null : `it ended by ${record.commands[0]?.endedBy}`),
  }),
  limitAttack({
    name: "print more output than the limit",
    script: "yes | head -c 8000000; sleep $SECONDS",
    limits: {},
    changes: { killOutputBytes: 500_000 },
    unlimited: { killOutputBytes: null },
    harm: notEndedBy("output"),
  }),
  limitAttack({
    name: "run longer than the timeout",
    script: "trap '' TERM; i=0; while [ $i -lt 100 ]; do i=$((i+1)); sleep $PAUSE; done; echo completed",
    limits: {},
    changes: { timeoutMs: 400 },
    unlimited: { timeoutMs: 60_000 },
    harm: notEndedBy("timeout"),
  }),
];
