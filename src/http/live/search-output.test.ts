import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TranscriptEvent } from "../../core/task/documents/transcript.ts";
import { outputPageSchema, searchSchema, type OutputSearchJson } from "../contract/output.ts";
import type { ParseTranscript } from "./output-feed.ts";
import { type Harness, makeTask, openHarness, saveTask } from "../harness.suite.ts";

let api: Harness;
let run: string;

beforeEach(async () => {
  api = await openHarness();
  run = (await saveTask(api.store, makeTask({ status: "running" }))).admitted[0] ?? "";
});
afterEach(() => api.close());

const parseTranscript: ParseTranscript = async (_, lines) => lines.map(({ text }) => JSON.parse(text));

async function search(query: string): Promise<OutputSearchJson> {
  const response = await api.request("GET", `/api/v1/runs/${run}/search?${query}`);
  expect(response.status).toBe(200);
  return searchSchema.parse(await response.json());
}

async function read(query: string) {
  const response = await api.request("GET", `/api/v1/runs/${run}/output?format=json&raw=true&${query}`);
  return outputPageSchema.parse(await response.json());
}

/** The text of the line at each match. */
async function found(query: string): Promise<readonly string[]> {
  const { matches } = await search(query);
  const pages = await Promise.all(matches.map(({ offset }) => read(`offset=${offset}`)));
  return pages.map(({ lines }) => lines[0]?.text ?? "");
}

describe("a search in the output of a run", () => {
  it("finds lines in any case, with the offset of each", async () => {
    for (const text of ["The Attempts", "nothing", "5 attempts left", "päuse"]) api.transcript.add(text);
    expect(await found("q=attempts")).toEqual(["The Attempts", "5 attempts left"]);
    expect(await found("q=P%C3%84USE")).toEqual(["päuse"]);
    expect(await search("q=absent")).toMatchObject({ matches: [], complete: true, next: api.transcript.size });
  });

  it("looks at what people see: not at keys, escapes and colours", async () => {
    const events: readonly TranscriptEvent[] = [
      { type: "tool_call", id: "secret-id", name: "Bash", input: { command: 'echo "a/b"', key: "value" } },
      { type: "tool_result", id: "1", output: "\u001b[31mred\u001b[0mdish \u00e9t\u00e9", failed: true },
    ];
    Object.assign(api.deps, { parseTranscript });
    for (const event of events) api.transcript.add(JSON.stringify([event]).replaceAll("é", "\\u00e9"));
    for (const [text, count] of [
      ["echo+%22a/b%22", 1],
      ["bash", 1],
      ["reddish+%C3%A9T%C3%A9", 1],
      ["secret-id", 0],
      ["command", 0],
    ] as const)
      expect((await search(`q=${text}`)).matches, text).toHaveLength(count);
    expect((await search("errors=true")).matches).toHaveLength(1);
    expect((await search("errors=true&q=bash")).matches).toHaveLength(0);
  });

  it("is done in parts that together find everything", async () => {
    for (let line = 0; line < 2500; line++) api.transcript.add(`match ${line}`);
    const offsets: number[] = [];
    let parts = 0;
    for (let offset = 0, complete = false; !complete; parts++) {
      const part = await search(`q=match&offset=${offset}`);
      offsets.push(...part.matches.map((match) => match.offset));
      ({ next: offset, complete } = part);
    }
    expect(new Set(offsets).size).toBe(2500);
    expect(parts).toBeGreaterThan(1);
  });

  it("needs something to search for", async () => {
    const response = await api.request("GET", `/api/v1/runs/${run}/search`);
    expect(response.status).toBe(400);
  });
});

it("a page of output can end at an offset, or at the end", async () => {
  for (const text of ["one", "two", "three"]) api.transcript.add(text);
  const all = await read("before=1000000000");
  expect(all).toMatchObject({ offset: 0, next: all.size, ended: false });
  expect(all.lines.map(({ text }) => text)).toEqual(["one", "two", "three"]);
  const earlier = await read(`before=${all.lines[2]?.offset}`);
  expect(earlier.lines.map(({ text }) => text)).toEqual(["one", "two"]);
  expect(earlier.next).toBe(all.lines[2]?.offset);
});
