import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withOuterNamespaces } from "./stage.ts";

const KINDS = ["instances", "watches"] as const;

test.skipIf(process.platform !== "linux")("an ordinary user's run gets a quarter of the user's inotify limits", () => {
  const files = KINDS.map((kind) => `/proc/sys/user/max_inotify_${kind}`);
  const [program, ...args] = withOuterNamespaces([], ["cat", ...files], false);
  const limits = execFileSync(program, args, { encoding: "utf8" }).trim().split("\n").map(Number);
  const totals = KINDS.map((kind) => Number(readFileSync(`/proc/sys/fs/inotify/max_user_${kind}`, "utf8")));
  expect(limits).toEqual(totals.map((total) => Math.floor(total / 4)));
});
