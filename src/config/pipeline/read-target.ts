import { FACTS, type Condition, type Fact, type Target } from "../../core/pipeline/pipeline.ts";
import { readMap, readNumber, readOneOf, readText, show, type Field } from "./read-fields.ts";
import { STATE_ROLES } from "../../core/task/role.ts";

const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const NAME_FORM =
  "a name of lowercase letters, digits and underscores that starts with a letter, at most 40 characters";
const MAX_TIMES = 100;
const MAX_TARGETS = 20;
const MAX_ELSE_DEPTH = 3;
const TARGET_KEYS = ["to", "ask", "limit", "else", "when", "role", "next"] as const;
const EMPTY_TARGET: Target = { to: null, ask: null, limit: null, else: null, when: null, role: null, next: null };

/** Reads where an outcome leads: a state's name, a map, or a list of those. Reports and skips invalid values. */
export function readTargets(field: Field): readonly Target[] {
  const { value, path, report } = field;
  if (!Array.isArray(value)) return [readTarget(field, 0)];
  if (value.length === 0 || value.length > MAX_TARGETS)
    report(path, `Expected 1 to ${MAX_TARGETS} targets, found a list of ${value.length}.`);
  return value
    .slice(0, MAX_TARGETS)
    .map((item, index) => readTarget({ value: item, path: [...path, index], report }, 0));
}

function readTarget(field: Field, depth: number): Target {
  if (typeof field.value === "string") return { ...EMPTY_TARGET, to: field.value };
  // A false `when` in an `else` would leave the task without a next state.
  const keys = depth === 0 ? TARGET_KEYS : TARGET_KEYS.filter((key) => key !== "when");
  const map = readMap(field, "a state, a map with `to` or `ask`, or a list of those", keys);
  if (map === null) return EMPTY_TARGET;
  const target = readParts(map, depth);
  checkParts(field, map);
  return target;
}

function readParts(map: ReadonlyMap<string, Field>, depth: number): Target {
  const read = <T>(key: (typeof TARGET_KEYS)[number], how: (field: Field) => T): T | null => {
    const field = map.get(key);
    return field === undefined ? null : how(field);
  };
  return {
    to: read("to", (field) => readText(field, "the name of a state")),
    ask: read("ask", (field) => readOneOf(field, "a kind of question", ["answers", "choice"])),
    limit: read("limit", readLimit),
    else: read("else", (field) => readElse(field, depth + 1)),
    when: read("when", readCondition),
    role: read("role", (field) => readOneOf(field, "a role", STATE_ROLES)),
    next: read("next", (field) => readText(field, "the name that `each` gives the list")),
  };
}

function readElse(field: Field, depth: number): string | Target | null {
  if (typeof field.value === "string") return field.value;
  if (depth <= MAX_ELSE_DEPTH) return readTarget(field, depth);
  field.report(field.path, `\`else\` can be nested at most ${MAX_ELSE_DEPTH} levels deep.`);
  return null;
}

/** Reports keys that need each other or exclude each other. */
function checkParts({ path, report }: Field, map: ReadonlyMap<string, Field>): void {
  if (map.has("ask")) {
    const others = [...map.keys()].filter((key) => key !== "ask" && key !== "when");
    if (others.length > 0)
      report(
        path,
        `\`ask\` waits for a person and returns to the same state, so it cannot be combined with ${others.join(", ")}.`,
      );
    return;
  }
  if (!map.has("to")) report(path, "A target needs `to: <state>`, or `ask: answers` or `ask: choice`.");
  if (map.has("limit") && map.has("next"))
    report(
      path,
      "A target has a `limit` or a `next`, not both: `else` can only belong to one of them. Put the other into `else`.",
    );
  const [boundedBy] = ["limit", "next"].filter((key) => map.has(key));
  if (boundedBy !== undefined && !map.has("else"))
    report(
      path,
      `A target with a \`${boundedBy}\` needs an \`else\`: where to go when ${boundedBy === "limit" ? "it is used up" : "the list has no more items"}.`,
    );
  if (boundedBy === undefined && map.has("else"))
    report(path, "The `else` of a target belongs to a `limit` or a `next`, but there is none.");
}

function readLimit(field: Field): Target["limit"] {
  const limits = readMap(field, "a limit such as { repair: 3 }", null);
  if (limits === null) return null;
  const [entry] = limits;
  if (entry === undefined || limits.size !== 1) {
    field.report(field.path, `Expected one limit such as { repair: 3 }, found ${limits.size}.`);
    return null;
  }
  const [name, count] = entry;
  const max = readNumber(count, { above: 0, max: MAX_TIMES, whole: true });
  return isName(name, count) && max !== null ? { name, max } : null;
}

export function isName(name: string, { path, report }: Field): boolean {
  if (NAME.test(name)) return true;
  report(path, `Expected ${NAME_FORM}, found ${show(name)}.`);
  return false;
}

/** Written `forge` or `not forge`. */
export function readCondition(field: Field): Condition | null {
  const { value } = field;
  const holds = typeof value !== "string" || !/^not\s/.test(value);
  const word = typeof value === "string" && !holds ? value.replace(/^not\s+/, "") : value;
  const fact: Fact | null = readOneOf({ ...field, value: word }, "a condition, written `fact` or `not fact`", FACTS);
  return fact === null ? null : { fact, holds };
}
