import { describe, expect, it } from "vitest";
import type { Loop, TracedState } from "../../../../../src/core/pipeline/trace-path.ts";
import { layoutPath } from "./layout-path.ts";

const states = (...names: readonly string[]): readonly TracedState[] =>
  names.map((name) => ({ name, visits: 1, place: "past" }));
const loop = (from: string, to: string): Loop => ({ from, to, name: "repair", times: 1, max: 3 });

const LINE = states("planning", "implementing", "checking", "publishing", "reviewing", "merging", "done");

describe("layoutPath()", () => {
  it("places states from left to right inside the drawing, with labels that do not touch", () => {
    const { states: drawn, width } = layoutPath({ states: LINE, loops: [] });
    for (const [index, { x, labelX, name }] of drawn.entries()) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(width);
      const before = drawn[index - 1];
      if (before === undefined || index === drawn.length - 1 || index === 1) continue;
      expect(labelX - before.labelX).toBeGreaterThan(((name.length + before.name.length) / 2) * 6);
    }
    expect([drawn[0]?.anchor, drawn.at(-1)?.anchor]).toEqual(["start", "end"]);
  });

  it("draws a loop that contains another one below it, and makes room for it", () => {
    const { loops, height } = layoutPath({
      states: LINE,
      loops: [loop("reviewing", "implementing"), loop("checking", "implementing")],
    });
    expect(loops[0]?.label.y).toBeGreaterThan((loops[1]?.label.y ?? 0) + 20);
    expect(height).toBeGreaterThan(loops[0]?.label.y ?? 0);
    expect(height).toBeGreaterThan(layoutPath({ states: LINE, loops: [] }).height);
  });

  it("lets arrows to the same state end side by side", () => {
    const { loops, states: drawn } = layoutPath({
      states: LINE,
      loops: [loop("checking", "implementing"), loop("reviewing", "implementing")],
    });
    const x = drawn[1]?.x ?? 0;
    expect(loops.map(({ tip }) => tip.x - x)).toEqual([6.5, -6.5]);
  });

  it("draws loops that do not overlap at the same level", () => {
    const { loops } = layoutPath({
      states: LINE,
      loops: [loop("implementing", "planning"), loop("reviewing", "publishing")],
    });
    expect(loops[0]?.label.y).toBe(loops[1]?.label.y);
  });

  it("puts labels in two rows if they do not fit into one", () => {
    const many = states(...Array.from({ length: 12 }, (_, index) => `a_state_with_a_name_${index}`));
    const { states: drawn, lineY } = layoutPath({ states: many, loops: [] });
    expect(new Set(drawn.map(({ labelY }) => labelY)).size).toBe(2);
    expect(lineY).toBeGreaterThan(layoutPath({ states: LINE, loops: [] }).lineY);
  });

  it("draws a single state and a loop to the same state", () => {
    const { states: drawn, loops } = layoutPath({ states: states("working"), loops: [loop("working", "working")] });
    expect(drawn).toHaveLength(1);
    expect(loops[0]?.path).toMatch(/^M[\d.]+ \d+C/);
  });
});
