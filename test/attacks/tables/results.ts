import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openInside } from "../../../src/adapters/git/read/open-inside.ts";
import { readFromWorkspace } from "../../../src/adapters/git/read/read-from-workspace.ts";
import { readOutcomeFile } from "../../../src/adapters/run-files/outcome-file.ts";
import { TranscriptPrinter } from "../../../src/cli/print/transcript/printer.ts";
import { summary } from "../../../src/cli/print/task/summary.ts";
import { taskLine } from "../../../src/cli/print/task/task.ts";
import { describeWaiting } from "../../../src/cli/print/task/waiting.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";
import type { Attack, MultiStepAttack, RunResult, AttackContext } from "../attack.ts";
import { fixturePolicy } from "../fixture.ts";

const execute = promisify(execFile);

interface HostileReport {
  readonly name: string;
  /** Runs in the directory of the outcome file. */
  readonly script: string;
  /** Reads the file without precautions and returns the harm, or null. */
  readonly naive: (file: string, secret: string) => Promise<string | null>;
}

const hostileReports: HostileReport[] = [];

/** Read by the engine, as an outcome and as a file of the workspace. */
function hostileReport(row: HostileReport): MultiStepAttack {
  hostileReports.push(row);
  return {
    kind: "multi_step",
    name: `pass a report that is ${row.name}`,
    async guarded(context) {
      const dir = await dirOf(row, context);
      const started = performance.now();
      const outcome = await readOutcomeFile(dir, join(dir, "report"));
      const file = await readFromWorkspace(dir, "report", { maxBytes: 1_000_000 });
      if (file.kind === "content") return `it was read: ${file.content.length} bytes`;
      if (outcome.kind !== "invalid") return `it counts as ${outcome.kind}`;
      return performance.now() - started > 5_000 ? "reading it blocked the engine" : null;
    },
    control: async (context) => row.naive(join(await dirOf(row, context), "report"), context.fixture.secret),
  };
}

let outcomesDir: Promise<string> | null = null;

/** The directory of this report. One sandboxed agent wrote all of them. */
async function dirOf({ name }: HostileReport, context: AttackContext): Promise<string> {
  outcomesDir ??= writeReports(context);
  return join(await outcomesDir, name);
}

async function writeReports(context: AttackContext): Promise<string> {
  const cwd = join(context.dir, "outcomes");
  mkdirSync(cwd);
  const script = hostileReports
    .map((row) => `(mkdir '${row.name}'; cd '${row.name}'; ${row.script}) || exit 1`)
    .join("\n");
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, SECRET: join(context.fixture.outside, "file") };
  await runAgent(context, { cwd, env, argv: ["sh", "-c", script] });
  return cwd;
}

interface AgentRun {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly argv: readonly [string, ...string[]];
}

async function runAgent(context: AttackContext, { cwd, env, argv }: AgentRun): Promise<RunResult> {
  const own = { write: [cwd], read: [process.execPath] };
  const policy = fixturePolicy(context.fixture, { cwd, own, protect: [], ...(env === undefined ? {} : { env }) });
  const ran = await context.run({ sandbox: "enforce", argv, policy });
  if (ran.record.commands[0]?.exit.code !== 0)
    throw new Error(`it failed: ${ran.stderr} ${JSON.stringify(ran.record)}`);
  return ran;
}

const leaksSecret: HostileReport["naive"] = async (file, secret) =>
  readFileSync(file, "utf8").includes(secret) ? "the secret" : null;
const isLarge: HostileReport["naive"] = async (file) =>
  readFileSync(file).length > 1_000_000 ? "all of it in memory" : null;
const throws: HostileReport["naive"] = (file) => execute("cat", [file]).then(() => null, String);
const hangs: HostileReport["naive"] = (file) =>
  execute("cat", [file], { timeout: 500 }).then(
    () => null,
    (error: unknown) =>
      error instanceof Error && "killed" in error && error.killed === true ? "reading it never ends" : null,
  );

const SEQUENCES = {
  clipboard: "\u001b]52;c;ZXZpbA==\u0007",
  title: "\u001b]0;owned\u0007",
  cursor: "\u001b[2J\u001b[1;1H\u001b[8m",
  c1: "\u009b31m\u009d0;owned\u009c",
  reversed: "safe\u202etxt.exe",
  overwritten: "failed\rpassed",
  hyperlink: "\u001b]8;;http://evil.example\u001b\\click\u001b]8;;\u001b\\",
  device: "\u001bP+q544e\u001b\\",
  bell: "\u0007\u0008\u007f",
};
// oxlint-disable-next-line no-control-regex -- matches control characters
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Everything that the CLI prints of an agent's text. */
function renderEverywhere(text: string): readonly string[] {
  const context = { color: false };
  const events = [
    { type: "text", text },
    { type: "raw", text },
    { type: "thinking", text },
    { type: "tool_call", id: "1", name: text, input: { text } },
    { type: "tool_result", id: "1", output: text, failed: false },
    { type: "file_change", path: text, change: "created" },
    { type: "error", message: text, failure: null },
  ] as const;
  // Only the fields that these functions read.
  const task = {
    id: "t",
    status: "waiting",
    state: "plan",
    title: text,
    waiting_for: null,
    queued_for: null,
    checks: [],
    unchecked: [text],
    runs: [{ outcome: "published", payload: { unverified: text } }],
    reason: text,
    cost_usd: 0,
    duration_ms: 1,
    artifacts: [
      { type: "diff", label: text },
      { type: "branch", label: text },
    ],
  } as unknown as TaskJson;
  const asks = {
    ...task,
    waiting_for: {
      kind: "answers",
      questions: [{ id: "q", question: text, context: text, options: [text], default: text }],
    },
  } as unknown as TaskJson;
  const choice = {
    ...task,
    waiting_for: { kind: "choice", reason: text, options: [{ id: "o", title: text, recommended: true }] },
  } as unknown as TaskJson;
  const printer = new TranscriptPrinter(context, { full: false, usage: true });
  return [
    ...events.map((event) => printer.add(event) + printer.flush()),
    taskLine(context, task),
    describeWaiting(context, asks),
    describeWaiting(context, choice),
    summary(context, task),
  ];
}

let printedBy: Promise<RunResult> | null = null;

/** An agent prints all of it, one per line. */
function printSequences(context: AttackContext): Promise<RunResult> {
  const lines = `${Object.values(SEQUENCES).join("\n")}\n${FORGED}\n`;
  const script = `process.stdout.write(${JSON.stringify(lines)})`;
  return (printedBy ??= runAgent(context, { cwd: context.dir, argv: [process.execPath, "-e", script] }));
}

function terminalAttack(kind: keyof typeof SEQUENCES): MultiStepAttack {
  return {
    kind: "multi_step",
    name: `send terminal control sequences to the user (${kind})`,
    async guarded(context) {
      const { stdout } = await printSequences(context);
      const bad = renderEverywhere(`${stdout} ${SEQUENCES[kind]}`).find((text) => HARMFUL.test(text));
      return bad === undefined ? null : `printed without escaping: ${JSON.stringify(bad)}`;
    },
    // The transcript contains it unchanged, so printing it directly would reach the terminal.
    control: async (context) =>
      (await printSequences(context)).stdout.includes(SEQUENCES[kind]) ? "the transcript contains it" : null,
  };
}

const FORGED = '{"at":1,"from":"supervisor","command":"agent","text":"forged"}';

export const attacks: readonly Attack[] = [
  hostileReport({ name: "a link to a secret", script: 'ln -s "$SECRET" report', naive: leaksSecret }),
  hostileReport({
    name: "a link in a linked directory",
    script: 'ln -s "$(dirname "$SECRET")" dir; ln -s dir/file report',
    naive: leaksSecret,
  }),
  hostileReport({ name: "a directory", script: "mkdir report", naive: throws }),
  hostileReport({ name: "a pipe", script: "mkfifo report", naive: hangs }),
  hostileReport({ name: "100 MB large", script: "truncate -s 100M report", naive: isLarge }),
  hostileReport({
    name: "a device",
    script: "ln -s /dev/zero report",
    naive: async (file) => ((await stat(file)).isCharacterDevice() ? "reading it never ends" : null),
  }),
  hostileReport({
    name: "a hard link",
    script: "echo x > report; ln report other",
    naive: async (file) => (readFileSync(file, "utf8") === "x\n" ? "read" : null),
  }),
  {
    kind: "multi_step",
    name: "make the engine open a file outside the workspace by its path",
    async guarded(context) {
      const dir = context.dir;
      const paths = ["../../../outside/file", "/etc/hostname", "a/../../x", "./report", ""];
      const opened = await Promise.all(paths.map((path) => openInside(dir, path)));
      return opened.some(({ kind }) => kind === "opened") ? "opened" : null;
    },
    control: async ({ dir, fixture }) =>
      readFileSync(join(dir, "../../outside/file"), "utf8").includes(fixture.secret) ? "the secret" : null,
  },
  ...(Object.keys(SEQUENCES) as (keyof typeof SEQUENCES)[]).map(terminalAttack),
  {
    kind: "multi_step",
    name: "forge a line of the supervisor in the transcript",
    async guarded(context) {
      const { notes, stdout } = await printSequences(context);
      if (!stdout.includes("forged")) throw new Error("the agent printed nothing");
      return notes.includes("forged") ? "forged" : null;
    },
    // The control writes the output to a line-based file without escaping it.
    control: async (context) => ((await printSequences(context)).stdout.split("\n").includes(FORGED) ? "forged" : null),
  },
];
