import { expect, it } from "vitest";
import { findResults, MAX_RESULTS, type PaletteGroup, type PaletteItem } from "./item.ts";

const item = (text: string, refusal: string | null = null): PaletteItem => ({
  id: text,
  text,
  icon: "queued",
  refusal,
  run: () => {},
});
const group = (id: string, texts: readonly string[], share = 3): PaletteGroup => ({
  id,
  title: id,
  items: texts.map((text) => item(text)),
  share,
});
const shown = (query: string, groups: readonly PaletteGroup[]) =>
  findResults(query, groups).map(({ id, items }) => [id, items.map(({ text }) => text)]);

it("without a query, each group has its share and the rest goes to the first", () => {
  const groups = [
    group("actions", ["a1", "a2"]),
    group("tasks", ["t1", "t2", "t3", "t4"]),
    group("places", ["p1", "p2", "p3"]),
  ];
  expect(shown("", groups)).toEqual([
    ["actions", ["a1", "a2"]],
    ["tasks", ["t1", "t2", "t3"]],
    ["places", ["p1", "p2", "p3"]],
  ]);
});

it("there are never more than eight results, and a single group can have them all", () => {
  const many = Array.from({ length: 20 }, (_, index) => `task ${index}`);
  expect(findResults("task", [group("tasks", many)]).flatMap(({ items }) => items)).toHaveLength(MAX_RESULTS);
  const four = ["a", "b", "c", "d"].map((id) => group(id, many, 3));
  expect(findResults("", four).flatMap(({ items }) => items)).toHaveLength(MAX_RESULTS);
});

it("the group with the best match comes first", () => {
  const groups = [group("tasks", ["Read the settings once"]), group("places", ["Settings"])];
  expect(shown("sett", groups).map(([id]) => id)).toEqual(["places", "tasks"]);
});

it("what is not possible comes last, also if it matches best", () => {
  const actions = { ...group("actions", ["Cancel…"]), items: [item("Retry", "Not possible."), item("Cancel…")] };
  const groups = [actions, group("tasks", ["Retry the webhooks"])];
  expect(shown("retry", groups)).toEqual([
    ["tasks", ["Retry the webhooks"]],
    ["refused", ["Retry"]],
  ]);
});
