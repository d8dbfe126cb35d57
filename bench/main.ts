import { cpus, totalmem } from "node:os";
import { printTable, writeResults, type Measured } from "./report.ts";
import { measureChatty } from "./rows/chatty.ts";
import { measureColdStart } from "./rows/cold-start.ts";
import { measureDiff } from "./rows/diff.ts";
import { measureFileRecord } from "./rows/file-record.ts";
import { measureGateway } from "./rows/gateway.ts";
import { measureGrowth } from "./rows/growth.ts";
import { measureLatency } from "./rows/latency.ts";
import { measureMemory } from "./rows/memory.ts";
import { measureNight } from "./rows/night.ts";
import { measurePage } from "./rows/page.ts";
import { measurePageTranscript } from "./rows/page-transcript.ts";
import { measureParse } from "./rows/parse.ts";
import { measurePrompt } from "./rows/prompt.ts";
import { measureQueue } from "./rows/queue.ts";
import { measureReusedSetup } from "./rows/reuse-setup.ts";
import { measureSandbox } from "./rows/sandbox.ts";
import { measureStaged } from "./rows/staged.ts";
import { measureStoreWait } from "./rows/store-wait.ts";
import { measureSubmit } from "./rows/submit.ts";
import { measureTaskOverhead } from "./rows/task-overhead.ts";
import { measureThroughput } from "./rows/throughput.ts";
import { measureTranscript } from "./rows/transcript.ts";
import { measureWorkspace } from "./rows/workspace.ts";

const ROWS: Readonly<Record<string, () => Promise<readonly Measured[]>>> = {
  a: measureTaskOverhead,
  b: measureThroughput,
  c: measureLatency,
  d: measureColdStart,
  e: measureQueue,
  f: measureMemory,
  g: measureSandbox,
  h: measureFileRecord,
  i: measureParse,
  j: measureGateway,
  k: measureTranscript,
  l: measureNight,
  m: measureGrowth,
  n: measureSubmit,
  o: measureWorkspace,
  p: measureStoreWait,
  q: measurePrompt,
  r: measureReusedSetup,
  s: measureStaged,
  t: measureChatty,
  u: measurePage,
  v: measureDiff,
  w: measurePageTranscript,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((row) => !Object.hasOwn(ROWS, row));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(", ")}. Available rows: ${Object.keys(ROWS).join(", ")}.`);
  process.exit(2);
}
const measured: Measured[] = [];
for (const [row, measure] of Object.entries(ROWS)) {
  if (asked.length > 0 && !asked.includes(row)) continue;
  console.error(`measuring row ${row} …`);
  measured.push(...(await measure()));
}
console.log(printTable(measured));
const machine = { cores: cpus().length, memoryBytes: totalmem(), node: process.version, platform: process.platform };
console.log(`written to ${writeResults(measured, { at: new Date().toISOString(), machine })}`);
if (measured.some(({ target }) => target?.met === false)) process.exitCode = 1;
