import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { entryOf, isFailure, isOutcome, outcomeOf, OUTCOMES, type Outcome } from "./outcome.ts";

describe("outcome table", () => {
  it("does not count a parked run as an attempt", () => {
    const parked = OUTCOMES.filter((name) => entryOf(name).edge?.do === "park");
    expect(parked).not.toEqual([]);
    expect(parked.filter((name) => entryOf(name).countsAsAttempt)).toEqual([]);
  });

  it("contains only its own names", () => {
    expect(isOutcome("implemented")).toBe(true);
    expect([isOutcome("constructor"), isOutcome("__proto__"), isOutcome("")]).toEqual([false, false, false]);
  });

  it("pairs each name with its payload", () => {
    // @ts-expect-error -- `published` needs a branch and a commit.
    outcomeOf("published", "pushed");
    // @ts-expect-error -- `chosen` has an option and no branch.
    outcomeOf("chosen", "chose a", { branch: "a" });
    const outcome: Outcome = outcomeOf("chosen", "chose a", { option: "a" });
    expect(outcome.name === "chosen" ? outcome.payload.option : null).toBe("a");
    expect(isFailure(outcome)).toBe(false);
    expect(isFailure(outcomeOf("timeout", "too slow"))).toBe(true);
  });
});

describe("code outside the outcome table", () => {
  const src = join(import.meta.dirname, "../..");
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.(test|suite)\.ts$|^testing\/|^core\/outcomes\//.test(file))
    .filter((file) =>
      OUTCOMES.some((name) => name.includes("_") && readFileSync(join(src, file), "utf8").includes(name)),
    );

  it("derives its lists of outcomes from the table", () => {
    const lists = files.flatMap((file) => listsIn(file, readFileSync(join(src, file), "utf8")));
    expect(lists).toEqual([]);
  });

  it("is detected if it has its own list", () => {
    expect(listsIn("a.ts", 'const a = ["usage_limit", "timeout", "refused"];')).toHaveLength(1);
    expect(listsIn("a.ts", 'type A = "usage_limit" | "timeout" | "refused";')).toHaveLength(1);
    expect(listsIn("a.ts", "const a = { usage_limit: 1, timeout: { b: 2 }, refused: 3 };")).toHaveLength(1);
    expect(listsIn("a.ts", 'const a = ["usage_limit", "timeout", "other"];')).toEqual([]);
  });
});

/** Lists, unions and maps of three or more outcome names. A single word such as "approve" may be a command. */
function listsIn(file: string, text: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const names = namesIn(node);
    if (names.length > 2 && names.every(isOutcome) && names.some((name) => name.includes("_")))
      found.push(`${file}: ${names.join(", ")}`);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  return found;
}

function namesIn(node: ts.Node): readonly string[] {
  if (ts.isArrayLiteralExpression(node))
    return node.elements.map((each) => (ts.isStringLiteral(each) ? each.text : ""));
  if (ts.isObjectLiteralExpression(node))
    return node.properties.map(({ name }) => (name !== undefined && ts.isIdentifier(name) ? name.text : ""));
  if (!ts.isUnionTypeNode(node)) return [];
  return node.types.map((each) =>
    ts.isLiteralTypeNode(each) && ts.isStringLiteral(each.literal) ? each.literal.text : "",
  );
}
