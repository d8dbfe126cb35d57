import { chmod, lstat, mkdir, readdir, readFile, statfs } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { terminalText } from "../../core/text/terminal-text.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import { readRunningProcess } from "../process/job-files.ts";
import { removeTree } from "../git/workspace/remove-tree.ts";
import { readOutcomeFile } from "./outcome-file.ts";
import { TEMPORARY_ENTRIES, runDir, runPaths, taskHomes } from "./paths.ts";
import { readEnd, readPart } from "./read-part.ts";
import { readTranscriptBefore, readTranscriptPage } from "./transcript-page.ts";
import { writeAgentFiles } from "./agent-files.ts";
import { writeFileDurably } from "./write-file.ts";

export function createRunFiles({ home }: { readonly home: string }): RunFiles {
  const fileOf = (run: string, name: string): string => join(runDir(home, run), name);
  const ofRun = (run: string) => runPaths(home, { run, task: "unused", role: null });

  return {
    dir: (run) => runDir(home, run),
    async prepare(params) {
      const paths = runPaths(home, params);
      await mkdir(paths.dir, { recursive: true, mode: 0o700 });
      await mkdir(taskHomes(home, params.task), { recursive: true, mode: 0o700 });
      for (const path of [paths.outcomeDir, paths.tmp, paths.home]) await makePrivateDirectory(path);
      return paths;
    },
    writeAgentFiles: (paths, files) => writeAgentFiles(paths, files),
    writePrompt: (run, text) => writeFileDurably(ofRun(run).promptFile, text),
    readPrompt: (run) => readFile(ofRun(run).promptFile, "utf8").catch(nullIfMissing),
    readOutcome: (run) => readOutcomeFile(runDir(home, run), ofRun(run).outcomeFile),
    readReport: (run) => readOutcomeFile(runDir(home, run), ofRun(run).reportFile),
    keepOutcome: (run, value) => writeFileDurably(fileOf(run, "outcome.json"), `${JSON.stringify(value, null, 2)}\n`),
    keepDiff: (run, patch) => writeFileDurably(fileOf(run, "change.diff"), patch),
    recordDir: (run) => fileOf(run, "record"),
    keepFileChanges: (run, value) => writeFileDurably(fileOf(run, "files.json"), `${JSON.stringify(value, null, 2)}\n`),
    readDiff: (run) => readFile(fileOf(run, "change.diff"), "utf8").catch(nullIfMissing),
    findProcess: (run) => readRunningProcess(runDir(home, run))?.pid ?? null,
    readTranscript: (run, offset, maxBytes) => readTranscriptPage(fileOf(run, "transcript.jsonl"), offset, maxBytes),
    readTranscriptBefore: (run, before, maxBytes) =>
      readTranscriptBefore(fileOf(run, "transcript.jsonl"), before, maxBytes),
    async readLog(run, logFile, maxBytes, before = Infinity) {
      const found = await readEnd(logPath(home, run, logFile), before, maxBytes);
      if (found === null) return null;
      const cut = found.start === 0 ? 0 : startOfCharacter(found.part);
      return { text: found.part.toString("utf8", cut), start: found.start + cut, size: found.size };
    },
    async readLogTail(run, logFile, maxBytes, range = {}) {
      const path = logPath(home, run, logFile);
      const end = range.end ?? (await lstat(path).catch(nullIfMissing))?.size ?? 0;
      const start = Math.max(range.start ?? 0, end - maxBytes);
      const found = await readPart(path, start, Math.max(0, end - start));
      return found === null ? "" : terminalText(decodeTail(found.part));
    },
    async cleanRun(run) {
      const dir = runDir(home, run);
      const names = (await readdir(dir).catch(nullIfMissing)) ?? [];
      for (const name of names.filter((each) => each.startsWith(".") || TEMPORARY_ENTRIES.includes(each)))
        await removeTree(join(dir, name));
    },
    cleanTask: (task) => removeTree(taskHomes(home, task)),
    async listOldRuns(before) {
      const names = (await readdir(join(home, "runs")).catch(nullIfMissing)) ?? [];
      const old: string[] = [];
      for (const name of names) {
        const stats = await lstat(join(home, "runs", name)).catch(nullIfMissing);
        if (stats?.isDirectory() === true && stats.mtimeMs < before) old.push(name);
      }
      return old;
    },
    removeRun: (run) => removeTree(runDir(home, run)),
    async freeBytes() {
      const { bavail, bsize } = await statfs(home);
      return bavail * bsize;
    },
  };
}

/** Replaces anything that an earlier run left under this name. */
async function makePrivateDirectory(path: string): Promise<void> {
  const stats = await lstat(path).catch(nullIfMissing);
  if (stats !== null && !stats.isDirectory()) await removeTree(path);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** Skips the rest of a UTF-8 character that was cut at the start. */
function decodeTail(bytes: Buffer): string {
  return bytes.toString("utf8", startOfCharacter(bytes));
}

function startOfCharacter(bytes: Buffer): number {
  return Math.max(
    0,
    bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80),
  );
}

function logPath(home: string, run: string, logFile: string): string {
  const path = resolve(runDir(home, run), logFile);
  if (!path.startsWith(runDir(home, run) + sep)) throw new Error(`The log ${logFile} is outside the run's directory.`);
  return path;
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
  throw error;
}
