import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createRunFiles } from "../../../adapters/run-files/run-files.ts";
import type { ReadReport } from "../../../core/outcomes/read-outcome.ts";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import type { RunFiles, RunPaths } from "../../../ports/run-files.ts";
import { chooseReport } from "./choose-report.ts";

let runFiles: RunFiles;
let paths: RunPaths;
let warnings: unknown[];

beforeEach(async () => {
  const home = mkdtempSync(join(tmpdir(), "nightshift-reports-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  runFiles = createRunFiles({ home });
  paths = await runFiles.prepare({ run: "run_1", task: "task_1", role: "implement" });
  warnings = [];
});

interface Reports {
  readonly acceptsFile?: boolean;
  readonly tool?: unknown;
  readonly events?: readonly TranscriptEvent[];
  readonly file?: unknown;
}

async function choose({ tool, events = [], file, acceptsFile = true }: Reports): Promise<ReadReport> {
  if (tool !== undefined) writeFileSync(paths.reportFile, JSON.stringify(tool));
  if (file !== undefined) writeFileSync(paths.outcomeFile, JSON.stringify(file));
  const log = { info: () => {}, error: () => {}, warn: (_: string, about?: object) => void warnings.push(about) };
  return chooseReport({ runFiles, log }, "run_1", {
    scope: { role: "implement", plan: "document" },
    events,
    acceptsFile,
  });
}

const done = (summary: string) => ({ outcome: "implemented", summary });
const structured = (value: unknown): TranscriptEvent => ({ type: "outcome", value });
const report = (summary: string) => ({ ok: true, outcome: { name: "implemented", summary } });

test("the tool takes precedence over structured output, and structured output over the file", async () => {
  const events = [structured(done("structured"))];
  expect(await choose({ file: done("file") })).toMatchObject(report("file"));
  expect(await choose({ file: done("file"), events })).toMatchObject(report("structured"));
  expect(await choose({ file: done("file"), events, tool: done("tool") })).toMatchObject(report("tool"));
  expect(warnings).toEqual([]);
});

test("the outcome file is ignored if only the tool is trusted", async () => {
  expect(await choose({ file: done("forged"), acceptsFile: false })).toMatchObject({ ok: false });
  expect(await choose({ file: done("forged"), tool: done("tool"), acceptsFile: false })).toMatchObject(report("tool"));
});

test("only the last structured output counts, even if it is invalid", async () => {
  const first = structured(done("first"));
  expect(await choose({ events: [first, structured(done("last"))] })).toMatchObject(report("last"));
  expect(await choose({ events: [first, structured({ outcome: "approved" })] })).toMatchObject({ ok: false });
});

test("an invalid report is skipped for a valid one of lower precedence, with a warning in the log", async () => {
  expect(await choose({ tool: { outcome: "merged" }, file: done("file") })).toMatchObject(report("file"));
  expect(warnings).toEqual([{ run: "run_1", invalid: "the tool report_outcome", used: "the outcome file" }]);
});

test("if all reports are invalid, the problem is that of the first in precedence", async () => {
  const invalid = { tool: { outcome: "implemented" }, events: [structured("done!")], file: { outcome: "nothing" } };
  expect(await choose(invalid)).toEqual({ ok: false, problem: expect.stringMatching(/"summary" is missing/) });
});

test("text never counts as a report, and a missing report explains how to report", async () => {
  const text: TranscriptEvent = { type: "text", text: JSON.stringify(done("as text")) };
  expect(await choose({ events: [text] })).toEqual({ ok: false, problem: expect.stringMatching(/report_outcome/) });
});
