import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createRunFiles } from "../../../adapters/run-files/run-files.ts";
import type { ReadReport } from "../../../core/outcomes/read-outcome.ts";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
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
  readonly fileCounts?: boolean;
  readonly tool?: unknown;
  readonly events?: readonly TranscriptEvent[];
  readonly file?: unknown;
}

async function choose({ tool, events = [], file, fileCounts = true }: Reports): Promise<ReadReport> {
  if (tool !== undefined) writeFileSync(paths.reportFile, JSON.stringify(tool));
  if (file !== undefined) writeFileSync(paths.outcomeFile, JSON.stringify(file));
  const log = { info: () => {}, error: () => {}, warn: (_: string, about?: object) => void warnings.push(about) };
  return chooseReport({ runFiles, log }, "run_1", {
    scope: { role: "implement", plan: "document" },
    events,
    fileCounts,
  });
}

const done = (summary: string) => ({ outcome: "implemented", summary });
const said = (value: unknown): TranscriptEvent => ({ type: "outcome", value });
const counts = (summary: string) => ({ ok: true, outcome: { name: "implemented", summary } });

test("the tool counts before structured output, and that before the file", async () => {
  const events = [said(done("structured"))];
  expect(await choose({ file: done("file") })).toMatchObject(counts("file"));
  expect(await choose({ file: done("file"), events })).toMatchObject(counts("structured"));
  expect(await choose({ file: done("file"), events, tool: done("tool") })).toMatchObject(counts("tool"));
  expect(warnings).toEqual([]);
});

test("a file is nothing where an agent that judges has the tool: anybody could have written it", async () => {
  expect(await choose({ file: done("forged"), fileCounts: false })).toMatchObject({ ok: false });
  expect(await choose({ file: done("forged"), tool: done("tool"), fileCounts: false })).toMatchObject(counts("tool"));
});

test("of structured output the last word counts, right or wrong", async () => {
  const first = said(done("first"));
  expect(await choose({ events: [first, said(done("last"))] })).toMatchObject(counts("last"));
  expect(await choose({ events: [first, said({ outcome: "approved" })] })).toMatchObject({ ok: false });
});

test("a wrong report gives way to a right one below it, and the log says so", async () => {
  expect(await choose({ tool: { outcome: "merged" }, file: done("file") })).toMatchObject(counts("file"));
  expect(warnings).toEqual([{ run: "run_1", wrong: "the tool report_outcome", counts: "the outcome file" }]);
});

test("where all are wrong, the problem is that of the most trusted", async () => {
  const wrong = { tool: { outcome: "implemented" }, events: [said("done!")], file: { outcome: "nothing" } };
  expect(await choose(wrong)).toEqual({ ok: false, problem: expect.stringMatching(/"summary" is missing/) });
});

test("text never counts, and where nothing was reported it says how to report", async () => {
  const text: TranscriptEvent = { type: "text", text: JSON.stringify(done("as text")) };
  expect(await choose({ events: [text] })).toEqual({ ok: false, problem: expect.stringMatching(/report_outcome/) });
});
