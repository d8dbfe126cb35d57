// The program behind the scripted agent: `node play-script.ts <script>`. It knows what every agent knows: the prompt on stdin,
// the workspace as its directory, the variables of its environment. It uses nothing of Nightshift but the reader beside it.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chooseStep, type FileAct, readScript, type ScriptStep } from "./read-script.ts";

/** The exit code of whoever calls a program wrongly; a step's own codes say what the step wants. */
const WRONG_USE = 64;

try {
  process.exitCode = await play();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = WRONG_USE;
}

async function play(): Promise<number> {
  const [, , file = ""] = process.argv;
  const {
    NIGHTSHIFT_ROLE: role = "",
    NIGHTSHIFT_ATTEMPT: attempt = "1",
    NIGHTSHIFT_OUTCOME_FILE: outcomeFile,
  } = process.env;
  // It is for this program alone, not for those that a step starts.
  delete process.env["NODE_COMPILE_CACHE"];
  const promptBytes = await readPrompt();
  const step = chooseStep(await readScript(file), role, Number(attempt));
  if (step === null) throw new Error(`${file} has no step for the role "${role}"; add one`);

  print({ type: "text", text: `playing the role ${role}, run ${attempt}, after a prompt of ${promptBytes} bytes` });
  for (const text of step.say) print({ type: "text", text });
  await wait(step.delayMs);
  for (const [path, act] of Object.entries(step.files)) changeFile(path, act);
  const failed = runCommands(step);
  if (failed !== null) return failed;
  print({ type: "usage", tokens: { input: 0, output: 0 }, cost_usd: 0, model: "scripted" });
  if (step.outcome !== null) {
    if (outcomeFile === undefined)
      throw new Error("NIGHTSHIFT_OUTCOME_FILE is not set, so the outcome has nowhere to go");
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

function changeFile(path: string, act: FileAct): void {
  const change = act === null ? "deleted" : existsSync(path) ? "modified" : "created";
  if (act === null) rmSync(path, { recursive: true, force: true });
  else {
    mkdirSync(dirname(path), { recursive: true });
    if (typeof act === "string") writeFileSync(path, act);
    else appendFileSync(path, act.append);
  }
  print({ type: "file_change", path, change });
}

/** The exit code of the first command that failed; null where none did. */
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

/** One event of a transcript, as any program may print them. */
function print(event: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
