import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { parsePipelineText } from "../src/config/pipeline/parse-pipeline-text.ts";

const script = join(import.meta.dirname, "draw-pipelines.ts");
const page = join(import.meta.dirname, "../docs/pipelines.md");
const folder = mkdtempSync(join(tmpdir(), "drawings-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("draw-pipelines: the committed drawings are up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

it("draw-pipelines: detects outdated drawings and updates them", () => {
  const copy = join(folder, "pipelines.md");
  const text = readFileSync(page, "utf8");
  writeFileSync(copy, text.replace("checking --> publishing", "checking --> elsewhere"));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", copy], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("Run `npm run drawings`");
  execFileSync(process.execPath, [script, copy]);
  expect(readFileSync(copy, "utf8")).toBe(text);
});

it("draw-pipelines: detects an outdated table of outcomes", () => {
  const copy = join(folder, "outcomes.md");
  writeFileSync(copy, readFileSync(page, "utf8").replace("| `usage_limit` | failure |", "| `usage_limit` | success |"));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check", copy], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("Run `npm run drawings`") });
});

it("draw-pipelines: the documented example is valid", () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(readFileSync(page, "utf8"))?.[1] ?? "";
  expect(parsePipelineText({ name: "translate", text: example, file: page })).toMatchObject({ ok: true });
});
