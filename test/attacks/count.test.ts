import { describe, expect, test } from "vitest";
import { hasNoControl } from "./attack.ts";
import { loadTopic, TOPICS } from "./topics.ts";

const tables = await Promise.all(TOPICS.map(async (topic) => ({ topic, attacks: await loadTopic(topic) })));
const attacks = tables.flatMap((table) => table.attacks);

/** No attack may disappear from the tables or lose its control without a change here. */
describe("attack tables", () => {
  test("contain all fifty attacks that the sandbox was designed against, and more", () => {
    const numbers = new Set(attacks.flatMap((attack) => attack.numbers ?? []));
    expect(numbers).toEqual(new Set(Array.from({ length: 50 }, (_, index) => index + 1)));
    const added = attacks.filter((attack) => (attack.numbers ?? []).length === 0);
    expect(added.length).toBeGreaterThanOrEqual(100);
  });

  test.each(tables)("contain each attack of the topic $topic once", ({ attacks: rows }) => {
    expect(rows.map(({ name }) => name).filter((name, index, names) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("have a control for all attacks except nine, which state a reason", () => {
    const reasons = attacks.flatMap(({ control }) => (hasNoControl(control) ? [control.noneBecause] : []));
    expect(reasons).toHaveLength(9);
    for (const reason of reasons) expect(reason.length).toBeGreaterThan(10);
  });

  test("list no attack as a known gap", () => {
    expect(attacks.filter(({ open }) => open !== undefined).map(({ name }) => name)).toEqual([]);
  });
});
