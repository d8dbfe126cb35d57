import { expect, it } from "vitest";
import type { Shortcut } from "../../app/shortcuts.ts";
import { groupKeys, nameOfKey } from "./group-keys.ts";

const key = (keys: string, label = keys): Shortcut => ({ keys, label, run: () => {} });

it("keys are grouped by what they are for, and empty groups are left out", () => {
  const groups = groupKeys([key("mod+k"), key("g m"), key("j"), key("Escape")]);
  expect(groups.map(({ title, shortcuts }) => [title, shortcuts.map(({ keys }) => keys)])).toEqual([
    ["In this view", ["j", "Escape"]],
    ["Everywhere", ["mod+k"]],
    ["Go to", ["g m"]],
  ]);
  expect(groupKeys([key("?")]).map(({ title }) => title)).toEqual(["Everywhere"]);
});

it("of two shortcuts with the same key, the newest is listed", () => {
  expect(groupKeys([key("j", "old"), key("j", "new")])[0]?.shortcuts.map(({ label }) => label)).toEqual(["new"]);
});

it("keys are named as on the keyboard", () => {
  expect([
    nameOfKey("mod+k", true),
    nameOfKey("mod+Enter", false),
    nameOfKey("Escape", true),
    nameOfKey("?", true),
  ]).toEqual(["⌘K", "Ctrl ↵", "Esc", "?"]);
});
