// The program of the scripted agent: `node play-script.ts <script>`. Like every agent it gets the prompt on stdin, the
// workspace as its current directory, and its environment. Of Nightshift it only imports read-script.ts.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chooseStep, type FileEdit, readScript, type ScriptStep } from "./read-script.ts";

/** EX_USAGE of sysexits.h. Other exit codes come from the script. */
const EXIT_USAGE = 64;

try {
  process.exitCode = await play();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = EXIT_USAGE;
}

async function play(): Promise<number> {
  const [, , file = ""] = process.argv;
  const {
    NIGHTSHIFT_ROLE: role = "",
    NIGHTSHIFT_ATTEMPT: attempt = "1",
    NIGHTSHIFT_OUTCOME_FILE: outcomeFile,
  } = process.env;
  // Only for this program, not for the commands of a step.
  delete process.env["NODE_COMPILE_CACHE"];
  const promptBytes = await readPrompt();
  const step = chooseStep(await readScript(file), role, Number(attempt));
  if (step === null) throw new Error(`${file} has no step for the role "${role}"; add one`);

  print({ type: "text", text: `playing the role ${role}, run ${attempt}, after a prompt of ${promptBytes} bytes` });
  for (const text of step.think) print({ type: "thinking", text });
  for (const text of step.say) print({ type: "text", text });
  await wait(step.delayMs);
  for (const [path, act] of Object.entries(step.files)) changeFile(path, act);
  const failed = runCommands(step);
  if (failed !== null) return failed;
  printUsage(step);
  if (step.outcome !== null) {
    if (outcomeFile === undefined)
      throw new Error("NIGHTSHIFT_OUTCOME_FILE is not set, so the outcome cannot be written");
    writeFileSync(outcomeFile, step.outcome);
  }
  return step.exit;
}

async function readPrompt(): Promise<number> {
  if (process.stdin.isTTY) return 0;
  let bytes = 0;
  for await (const chunk of process.stdin) bytes += Buffer.byteLength(chunk as Buffer);
  return bytes;
}

function changeFile(path: string, act: FileEdit): void {
  const change = act === null ? "deleted" : existsSync(path) ? "modified" : "created";
  if (act === null) rmSync(path, { recursive: true, force: true });
  else {
    mkdirSync(dirname(path), { recursive: true });
    if (typeof act === "string") writeFileSync(path, act);
    else appendFileSync(path, act.append);
  }
  print({ type: "file_change", path, change });
}

/** Runs the commands until one fails. Returns its exit code, or null if all succeeded. */
function runCommands({ commands }: ScriptStep): number | null {
  for (const [index, command] of commands.entries()) {
    const id = `command-${index + 1}`;
    print({ type: "tool_call", id, name: "sh", input: { command } });
    const { status } = spawnSync("sh", ["-c", command], { stdio: ["ignore", "inherit", "inherit"] });
    print({ type: "tool_result", id, output: `exit code ${status ?? "none"}`, failed: status !== 0 });
    if (status !== 0) return status ?? 1;
  }
  return null;
}

function printUsage({ usage: { input, output, cacheRead, costUsd } }: ScriptStep): void {
  print({ type: "usage", tokens: { input, output, cache_read: cacheRead }, cost_usd: costUsd, model: "scripted" });
}

/** Prints a transcript event. */
function print(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
