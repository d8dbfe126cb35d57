import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveNotify } from "../../config/resolve/resolve-night.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Project } from "../../ports/store.ts";
import { openLoopbackNtfy } from "../../testing/loopback/loopback-ntfy.ts";
import { sampleNotice, sampleProject } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createChannels, type Channels } from "./wire-notifiers.ts";
import { NOTIFIERS } from "../../adapters/notifiers/index.ts";

const NTFY = { url: "https://ntfy.example.com", topic: "t", on: ["failed"] } as const;
const NIGHT = { isNight: true };
const notice = { ...sampleNotice(), id: 1, attempts: 0 };
const signal = new AbortController().signal;

let dir: TempDir;
let printed: string[];
let written: Parameters<typeof resolveNotify>[0] | null;
let registered: Project[];

beforeEach(async () => {
  dir = await createTempDir();
  printed = [];
  written = {};
  registered = [sampleProject({ name: "shop" })];
});
afterEach(async () => {
  await dir.remove();
});

function open(heartbeat: string | null = null): Channels & { readonly read: (over?: Partial<Project>) => void } {
  let last: Settings | null = null;
  const channels = createChannels({
    notifiers: NOTIFIERS,
    projects: {
      async lastGood() {
        last = readSettings() ?? last;
        if (last === null) throw new Error("line 3 is wrong");
        return last;
      },
    },
    env: {},
    store: {
      projects: {
        getProject: async (name) => registered.find((each) => each.name === name) ?? null,
        listProjects: async () => registered,
      },
    },
    write: (line) => void printed.push(line),
    runLog: join(dir.path, "nights.jsonl"),
    heartbeat,
  });
  const read = (over: Partial<Project> = {}): void => {
    const settings = readSettings();
    last = settings ?? last;
    channels.update(sampleProject({ name: "shop", ...over }), settings);
  };
  return { ...channels, read };
}

/** Null: the files are broken. */
function readSettings(): Settings | null {
  // Only what is asked for here.
  return written === null ? null : ({ notify: resolveNotify(written, NOTIFIERS), timeZone: "UTC" } as Settings);
}

describe("who is told", () => {
  test("terminal and run log always, the others by their settings once these were read", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] }, webhook: { url: "https://x.example.com" } };
    expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log"]);
    channels.read();
    expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log", "ntfy", "webhook"]);
    expect(channels.channelsFor("shop", "waiting", NIGHT)).toEqual(["terminal", "webhook"]);
    expect(channels.channelsFor("web", "failed", NIGHT)).toEqual(["terminal", "run_log"]);
  });

  test("a file that breaks changes nothing; one that is corrected does", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    channels.read();
    written = null;
    channels.read();
    expect(channels.channelsFor("shop", "failed", NIGHT)).toContain("ntfy");
    expect(await channels.notifierFor("shop", "ntfy")).not.toBeNull();
    written = {};
    channels.read();
    expect(channels.channelsFor("shop", "failed", NIGHT)).not.toContain("ntfy");
  });

  test.for([{ path: "/elsewhere" }, { remote: "https://git.example.com/other" }, { accepted: '{"x":1}' }])(
    "another project of the same name has none of its channels: %j",
    async (other) => {
      const channels = open();
      written = { ntfy: { ...NTFY, on: ["failed"] } };
      channels.read();
      written = null;
      channels.read(other);
      expect(channels.channelsFor("shop", "failed", NIGHT)).not.toContain("ntfy");
    },
  );
});

test("logs of nights hear only of a night that ended", () => {
  const channels = open();
  written = { confluence: { url: "https://wiki.example.com", page_id: "1", token_env: "T" }, ntfy: { ...NTFY } };
  channels.read();
  expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log", "ntfy", "confluence"]);
  expect(channels.channelsFor("shop", "failed", {})).toEqual(["terminal", "ntfy"]);
  expect(channels.channelsFor("shop", "failed", { ...NIGHT, about: "missed" })).toEqual(["terminal", "ntfy"]);
});

describe("how", () => {
  test("by the settings as they are now", async () => {
    const ntfy = await openLoopbackNtfy();
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    channels.read();
    written = { ntfy: { url: ntfy.url, topic: "moved" } };
    await (await channels.notifierFor("shop", "ntfy"))?.send(notice, signal);
    expect(ntfy.shown).toMatchObject([{ topic: "moved" }]);
    await ntfy.close();
  });

  test("not at all where the channel or the project is gone", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    expect(await channels.notifierFor("shop", "webhook")).toBeNull();
    expect(await channels.notifierFor("shop", "pigeon")).toBeNull();
    registered = [];
    expect(await channels.notifierFor("shop", "ntfy")).toBeNull();
  });

  test("terminal and run log need no project", async () => {
    const channels = open();
    registered = [];
    await (await channels.notifierFor("shop", "terminal"))?.send(notice, signal);
    await (await channels.notifierFor("shop", "run_log"))?.send(notice, signal);
    expect(printed).toEqual(["done: Done (task_x) – All is well.\n"]);
    expect(await readFile(join(dir.path, "nights.jsonl"), "utf8")).toContain('"outcome":"published"');
  });
});

test("heartbeats: the user's own where there is no project, each address once", async () => {
  const channels = open("https://beat.example.com/user");
  expect(await channels.heartbeats(null)).toEqual(["https://beat.example.com/user"]);
  written = { heartbeat: { url: "https://beat.example.com/shop" } };
  channels.read();
  expect(await channels.heartbeats(null)).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.heartbeats("shop")).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.heartbeats("web")).toEqual([]);
});

test("heartbeats: none of a project that was removed, without a restart", async () => {
  const channels = open("https://beat.example.com/user");
  written = { heartbeat: { url: "https://beat.example.com/shop" } };
  channels.read();
  registered = [];
  expect(await channels.heartbeats(null)).toEqual(["https://beat.example.com/user"]);
  registered = [sampleProject({ name: "web" })];
  written = {};
  channels.read({ name: "web" });
  expect(await channels.heartbeats(null)).toEqual([]);
});
