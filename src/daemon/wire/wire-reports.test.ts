import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { reportSchema } from "../../http/contract/report.ts";
import { type Harness, makeEvent, makeTask, NOW, openHarness, saveTask } from "../../http/harness.suite.ts";
import { startReportFiles, type ReportFiles } from "./wire-reports.ts";

const NIGHT = "2026-11-15";

let api: Harness;
let dir: string;
const logged: string[] = [];

beforeEach(async () => {
  api = await openHarness();
  dir = join(await mkdtemp(join(tmpdir(), "nightshift-reports-")), "reports");
  logged.length = 0;
});
afterEach(async () => {
  await api.close();
  await rm(join(dir, ".."), { recursive: true });
});

function start(): ReportFiles {
  const log = { info: () => undefined, warn: () => undefined, error: (text: string) => void logged.push(text) };
  const secrets = {
    redact: <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hush-hush", "[redacted]")) as T, // same shape
  };
  return startReportFiles({ deps: api.deps, secrets, dir, log });
}

async function sendReport(): Promise<void> {
  await api.store.events.appendEvents([makeEvent({ type: "report.sent", data: { night: NIGHT } })]);
}

test("the report of a night is written in every format when it is sent, without secrets", async () => {
  await saveTask(
    api.store,
    makeTask({ title: "Speed up <b>hush-hush</b>", status: "waiting", waitingFor: { kind: "merge", since: NOW } }),
  );
  const files = start();
  await sendReport();
  await files.stop();
  expect(logged).toEqual([]);
  expect((await readdir(dir)).toSorted()).toEqual([`${NIGHT}.html`, `${NIGHT}.json`, `${NIGHT}.md`]);
  const read = (ending: string) => readFile(join(dir, `${NIGHT}.${ending}`), "utf8");
  const json = reportSchema.parse(JSON.parse(await read("json")));
  expect(json).toMatchObject({ night: NIGHT, verdict: { fact: expect.any(String) } });
  expect(await read("md")).toContain("Night of 2026-11-15");
  expect(await read("html")).toContain("Speed up &lt;b&gt;[redacted]");
});

test("a night without any task has a report too", async () => {
  const files = start();
  await sendReport();
  await files.stop();
  expect(await readFile(join(dir, `${NIGHT}.md`), "utf8")).toContain("Night of");
});

test("a report that was sent directly before a crash is written at the next start, but an existing one is kept", async () => {
  await sendReport();
  await start().stop();
  const before = await readFile(join(dir, `${NIGHT}.json`), "utf8");
  await saveTask(api.store, makeTask({ title: "Later" }));
  await start().stop();
  expect(await readFile(join(dir, `${NIGHT}.json`), "utf8")).toBe(before);
});
