import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resolveNotify } from "../../config/resolve/resolve-night.ts";
import type { Settings } from "../../core/task/settings.ts";
import type { ProjectFiles } from "../../ports/projects.ts";
import type { Project } from "../../ports/store.ts";
import { openLoopbackNtfy } from "../../testing/loopback/loopback-ntfy.ts";
import { sampleNotice, sampleProject } from "../../testing/store/samples.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import { createChannels, type Channels } from "./wire-notifiers.ts";

const NTFY = { url: "https://ntfy.example.com", topic: "t", on: ["failed"] } as const;
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
): Channels & { readonly read: (over?: Partial<Project>) => Promise<unknown> } {
  const channels = createChannels({
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
  let last: Settings | null = null;
  const settings: ProjectFiles["settings"] = async () => {
    if (written === null) throw new Error("line 3 is wrong");
    // Only what is asked for here.
    last = { notify: resolveNotify(written), timeZone: "UTC" } as Settings;
    return last;
  };
  const lastGood: ProjectFiles["settings"] = (project) =>
    settings(project).catch((error: unknown) => last ?? Promise.reject(error as Error));
  const files = channels.learnFrom({ settings, lastGood });
  return { ...channels, read: (over = {}) => files.settings(sampleProject({ name: "shop", ...over })) };
}

describe("who is told", () => {
  test("terminal and run log always, the others by their settings once these were read", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] }, webhook: { url: "https://x.example.com" } };
    expect(channels.channelsFor("shop", "failed")).toEqual(["terminal", "run_log"]);
    await channels.read();
    expect(channels.channelsFor("shop", "failed")).toEqual(["terminal", "run_log", "ntfy", "webhook"]);
    expect(channels.channelsFor("shop", "waiting")).toEqual(["terminal", "run_log", "webhook"]);
    expect(channels.channelsFor("web", "failed")).toEqual(["terminal", "run_log"]);
  });

  test("a file that breaks changes nothing; one that is corrected does", async () => {
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    await channels.read();
    written = null;
    await expect(channels.read()).rejects.toThrow("line 3");
    expect(channels.channelsFor("shop", "failed")).toContain("ntfy");
    expect(await channels.notifierFor("shop", "ntfy")).not.toBeNull();
    written = {};
    await channels.read();
    expect(channels.channelsFor("shop", "failed")).not.toContain("ntfy");
  });

  test.for([{ path: "/elsewhere" }, { remote: "https://git.example.com/other" }, { accepted: '{"x":1}' }])(
    "another project of the same name has none of its channels: %j",
    async (other) => {
      const channels = open();
      written = { ntfy: { ...NTFY, on: ["failed"] } };
      await channels.read();
      written = null;
      await expect(channels.read(other)).rejects.toThrow("line 3");
      expect(channels.channelsFor("shop", "failed")).not.toContain("ntfy");
    },
  );
});

describe("how", () => {
  test("by the settings as they are now", async () => {
    const ntfy = await openLoopbackNtfy();
    const channels = open();
    written = { ntfy: { ...NTFY, on: ["failed"] } };
    await channels.read();
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
  await channels.read();
  expect(await channels.heartbeats(null)).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.heartbeats("shop")).toEqual(["https://beat.example.com/shop"]);
  expect(await channels.heartbeats("web")).toEqual([]);
});

test("heartbeats: none of a project that was removed, without a restart", async () => {
  const channels = open("https://beat.example.com/user");
  written = { heartbeat: { url: "https://beat.example.com/shop" } };
  await channels.read();
  registered = [];
  expect(await channels.heartbeats(null)).toEqual(["https://beat.example.com/user"]);
  registered = [sampleProject({ name: "web" })];
  written = {};
  await channels.read({ name: "web" });
  expect(await channels.heartbeats(null)).toEqual([]);
});
