import { spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { waitUntil } from "../../../src/testing/wait-until.ts";
import type { Attack, AttackContext, MultiStepAttack } from "../attack.ts";
import { fixturePolicy } from "../fixture.ts";

/** Something outside that uses a folder which the agent may read. */
interface HostProgram {
  /** Returns what the agent did to it, or null. */
  harm(): string | null;
  close(): void;
}

interface GrantAttack {
  readonly name: string;
  /** Runs inside, in shell. `$G` is the granted folder, `$NODE` is Node. */
  readonly script: string;
  /** Starts after the agent has started. */
  readonly start: (folder: string) => Promise<HostProgram> | HostProgram;
}

/** About a minute, so that a broken test ends. */
const waitFor = (name: string) => `n=0; until [ -e ${name} ] || [ $n -gt 600 ]; do sleep 0.1; n=$((n + 1)); done`;

function grantAttack({ name, script, start }: GrantAttack): MultiStepAttack {
  const run = (sandbox: "enforce" | "none") => async (context: AttackContext) => {
    const [cwd, folder] = [join(context.dir, "work"), join(context.dir, "granted")];
    mkdirSync(cwd, { recursive: true });
    mkdirSync(join(folder, "deep"), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, "deep", "cache.lock"), "");
    const policy = fixturePolicy(context.fixture, {
      cwd,
      own: { write: [cwd], read: [process.execPath] },
      protect: [],
      read: [folder],
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, NODE: process.execPath, G: folder },
    });
    const argv = ["sh", "-c", `: > ready; ${waitFor("go")}; ${script}; : > tried; ${waitFor("end")}`] as const;
    const running = context.run({ sandbox, argv, policy });
    const isThere = (file: string) => existsSync(join(cwd, file));
    let program: HostProgram | null = null;
    try {
      await Promise.race([waitUntil(() => isThere("ready"), 60_000), running]);
      program = await start(folder);
      writeFileSync(join(cwd, "go"), "");
      await Promise.race([waitUntil(() => isThere("tried"), 60_000), running]);
      if (!isThere("tried")) throw new Error(`it did not run: ${JSON.stringify((await running).record.error)}`);
      return program.harm();
    } finally {
      writeFileSync(join(cwd, "end"), "");
      await running;
      program?.close();
    }
  };
  return { kind: "multi_step", name, guarded: run("enforce"), control: run("none") };
}

export const attacks: readonly Attack[] = [
  grantAttack({
    name: "connect to a socket that appears later in a folder with read access",
    script: `"$NODE" -e 'require("net").connect(process.env.G + "/deep/late").on("error", () => 0).on("close", () => process.exit())'`,
    async start(folder) {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((ready) =>
        server.listen({ path: join(folder, "deep", "late"), writableAll: true }, ready),
      );
      return { harm: () => (connections > 0 ? "connected" : null), close: () => server.close() };
    },
  }),
  grantAttack({
    name: "write to a named pipe that appears later in a folder with read access",
    script: `"$NODE" -e 'const f = require("fs"); f.writeSync(f.openSync(process.env.G + "/deep/late", f.constants.O_RDWR | f.constants.O_NONBLOCK), "order")'`,
    start(folder) {
      const pipe = join(folder, "deep", "late");
      spawnSync("mkfifo", ["-m", "666", pipe]);
      const handle = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
      return { harm: () => readPipe(handle), close: () => closeSync(handle) };
    },
  }),
  grantAttack({
    name: "block programs outside by locking a file in a folder with read access",
    script: `exec 9<"$G/deep/cache.lock"; flock -n 9`,
    start: (folder) => ({
      harm: () =>
        spawnSync("flock", ["-n", join(folder, "deep", "cache.lock"), "true"]).status === 0 ? null : "locked",
      close: () => undefined,
    }),
  }),
];

function readPipe(handle: number): string | null {
  try {
    const bytes = Buffer.alloc(16);
    return bytes.toString("utf8", 0, readSync(handle, bytes)) || null;
  } catch {
    return null;
  }
}
