import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveNotify } from "../../config/resolve/resolve-settings.ts";
import { describeReport } from "../../core/notices/notice.ts";
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

function open(
  heartbeat: string | null = null,
  publicUrl: string | null = null,
): Channels & { readonly read: (over?: Partial<Project>) => void } {
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
    readUser: async () => {
      const settings = readSettings();
      if (settings === null) throw new Error("line 3 is wrong");
      return { notify: settings.notify, timeZone: settings.timeZone, reportAt: "07:00" };
    },
    heartbeat,
    publicUrl,
  });
  const read = (over: Partial<Project> = {}): void => {
    const settings = readSettings();
    last = settings ?? last;
    channels.update(sampleProject({ name: "shop", ...over }), settings);
  };
  return { ...channels, read };
}

/** Null if the files are invalid. */
function readSettings(): Settings | null {
  // Only what these tests use.
  return written === null ? null : ({ notify: resolveNotify(written, NOTIFIERS), timeZone: "UTC" } as Settings);
}

describe("channelsFor", () => {
  test("always includes terminal and run log, and configured channels once the settings were read", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] }, webhook: { url: "https://x.example.com" } };
    expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log"]);
    channels.read();
    expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log", "ntfy", "webhook"]);
    expect(channels.channelsFor("shop", "waiting", NIGHT)).toEqual(["terminal", "webhook"]);
    expect(channels.channelsFor("web", "failed", NIGHT)).toEqual(["terminal", "run_log"]);
  });

  test("ignores invalid files until they are corrected", async () => {
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
    "another project with the same name does not get its channels: %j",
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

test("night logs get only the notice that ends a night", () => {
  const channels = open();
  written = { confluence: { url: "https://wiki.example.com", page_id: "1", token_env: "T" }, ntfy: { ...NTFY } };
  channels.read();
  expect(channels.channelsFor("shop", "failed", NIGHT)).toEqual(["terminal", "run_log", "ntfy", "confluence"]);
  expect(channels.channelsFor("shop", "failed", {})).toEqual(["terminal", "ntfy"]);
  expect(channels.channelsFor("shop", "failed", { ...NIGHT, about: "missed" })).toEqual(["terminal", "ntfy"]);
});

test("the report goes to the terminal and to the user's channels that want it, as config.yaml says now", async () => {
  const channels = open();
  written = { ntfy: { ...NTFY, on: ["report"] }, webhook: { url: "https://x.example.com", on: ["failed"] } };
  expect(await channels.readReport()).toEqual({ at: "07:00", timeZone: "UTC", channels: ["terminal", "ntfy"] });
  expect(await channels.notifierFor("", "ntfy")).not.toBeNull();
  written = {};
  expect((await channels.readReport()).channels).toEqual(["terminal"]);
  expect(await channels.notifierFor("", "ntfy")).toBeNull();
});

describe("notifierFor", () => {
  test("uses the current settings", async () => {
    const ntfy = await openLoopbackNtfy();
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    channels.read();
    written = { ntfy: { url: ntfy.url, topic: "moved" } };
    await (await channels.notifierFor("shop", "ntfy"))?.send(notice, signal);
    expect(ntfy.shown).toMatchObject([{ topic: "moved" }]);
    await ntfy.close();
  });

  test("links to the task on the page if the page has a public address", async () => {
    const ntfy = await openLoopbackNtfy();
    const channels = open(null, "https://night.example.com");
    written = { ntfy: { url: ntfy.url, topic: "t" } };
    channels.read();
    const notifier = await channels.notifierFor("shop", "ntfy");
    await notifier?.send({ ...notice, data: { ...notice.data, url: null } }, signal);
    await notifier?.send({ ...notice, task: null }, signal);
    const report = describeReport("2026-11-15", ["Nothing waits for you."], 0);
    await notifier?.send({ ...notice, task: null, kind: "report", data: report }, signal);
    expect(ntfy.shown).toMatchObject([
      {
        click: `https://night.example.com/tasks/${notice.task}`,
        actions: [{ label: "Open in Nightshift", url: `https://night.example.com/tasks/${notice.task}` }],
      },
      {
        click: "https://night.example.com/",
        actions: [{ url: "https://night.example.com/" }, { label: "Open change request" }],
      },
      { click: "https://night.example.com/nights/2026-11-15" },
    ]);
    await ntfy.close();
  });

  test("returns null if the channel or the project no longer exists", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    expect(await channels.notifierFor("shop", "webhook")).toBeNull();
    expect(await channels.notifierFor("shop", "pigeon")).toBeNull();
    registered = [];
    expect(await channels.notifierFor("shop", "ntfy")).toBeNull();
  });

  test("returns terminal and run log without a project", async () => {
    const channels = open();
    registered = [];
    await (await channels.notifierFor("shop", "terminal"))?.send(notice, signal);
    await (await channels.notifierFor("shop", "run_log"))?.send(notice, signal);
    expect(printed).toEqual(["done: Done (task_x) – All is well.\n"]);
    expect(await readFile(join(dir.path, "nights.jsonl"), "utf8")).toContain('"outcome":"published"');
  });
});

test("heartbeat URLs: the project's, or the user's if there is no project", async () => {
  const channels = open("https://beat.example.com/user");
  expect(await channels.listHeartbeatUrls(null)).toEqual(["https://beat.example.com/user"]);
  written = { heartbeat: { url: "https://beat.example.com/shop" } };
  channels.read();
  expect(await channels.listHeartbeatUrls(null)).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.listHeartbeatUrls("shop")).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.listHeartbeatUrls("web")).toEqual([]);
});

test("heartbeat URLs: those of a removed project disappear without a restart", async () => {
  const channels = open("https://beat.example.com/user");
  written = { heartbeat: { url: "https://beat.example.com/shop" } };
  channels.read();
  registered = [];
  expect(await channels.listHeartbeatUrls(null)).toEqual(["https://beat.example.com/user"]);
  registered = [sampleProject({ name: "web" })];
  written = {};
  channels.read({ name: "web" });
  expect(await channels.listHeartbeatUrls(null)).toEqual([]);
});
