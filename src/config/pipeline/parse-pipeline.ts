import type { Issue } from "../../core/text/errors.ts";
import { PLAN_KINDS } from "../../core/outcomes/outcome-entry.ts";
import type { Pipeline, State } from "../../core/pipeline/pipeline.ts";
import { edgesFrom } from "../../core/pipeline/pipeline-graph.ts";
import { defaultPolicy } from "../../core/pipeline/pipeline-policy.ts";
import type { Finding } from "./pipeline-rule.ts";
import { everyPolicyHasItsStates, PIPELINE_RULES } from "./pipeline-rules.ts";
import { readMap, readOneOf, readText, show, type Field, type Path } from "./read-fields.ts";
import { readPolicy } from "./read-policy.ts";
import { readState } from "./read-state.ts";
import { isName } from "./read-target.ts";

const PIPELINE_KEYS = ["name", "start", "each", "plan", "policy", "states"];
const MOST_STATES = 200;
const MOST_ISSUES = 200;

export interface PipelineSource {
  /** The name by which it was asked for: that of its file. */
  readonly name: string;
  /** For messages; null where the text is not in a file. */
  readonly file: string | null;
  readonly hash: string;
  /** What the YAML says, as plain values. */
  readonly value: unknown;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where the key at this path stands; of a path that is not in the text, its nearest part that is. */
export type Locate = (path: Path) => Position;

export type PipelineResult =
  | { readonly ok: true; readonly pipeline: Pipeline }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads what a person wrote, holds it to the rules, and tells every problem at once, in the order of the text. */
export function checkPipeline(source: PipelineSource, locate: Locate): PipelineResult {
  const findings: Finding[] = [];
  const pipeline = readPipeline(source, {
    value: source.value,
    path: [],
    report: (path, message) => void findings.push({ path, message }),
  });
  const broken = new Set(
    findings.flatMap(({ path: [top, name] }) => (top === "states" && typeof name === "string" ? [name] : [])),
  );
  if (pipeline !== null) {
    const draft = { pipeline, edges: Object.values(pipeline.states).flatMap(edgesFrom), broken };
    const isPolicyWritten = valueAt(source.value, ["policy"]) !== undefined;
    const rules = isPolicyWritten ? [...PIPELINE_RULES, everyPolicyHasItsStates] : PIPELINE_RULES;
    const found = rules.flatMap((rule) => rule(draft));
    findings.push(...found.map(({ path, message }) => ({ path: asWritten(source.value, path), message })));
  }
  if (pipeline !== null && findings.length === 0) return { ok: true, pipeline };
  return { ok: false, issues: toIssues(findings, source.file, locate) };
}

function toIssues(findings: readonly Finding[], file: string | null, locate: Locate): readonly Issue[] {
  const issues = findings
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) => ({ file, ...locate(path), key: keyOf(path), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  const left = findings.length - issues.length;
  const more = { file, line: null, column: null, key: "", message: `There are ${left} more problems.` };
  return left === 0 ? issues : [...issues, more];
}

/** Null where there is too little to hold to the rules. */
function readPipeline(source: PipelineSource, root: Field): Pipeline | null {
  const map = readMap(root, "a pipeline: a map with name, start and states", PIPELINE_KEYS);
  if (map === null) return null;
  const start = readNamed(root, map, "start");
  const list = map.get("each");
  const each = list === undefined ? null : readName(list);
  const planned = map.get("plan");
  const block = map.get("policy");
  const policy = block === undefined ? defaultPolicy(each !== null) : readPolicy(block);
  const states = readStates(root, map.get("states"));
  const name = readNamed(root, map, "name");
  if (name !== null && name !== source.name)
    root.report(
      ["name"],
      `The name is ${show(name)}, but the file is called ${show(source.name)}. Make them the same.`,
    );
  if (start === null || states === null) return null;
  const plan = planned === undefined ? defaultPlan(states) : readOneOf(planned, "what a plan holds", PLAN_KINDS);
  return { name: source.name, hash: source.hash, start, each, plan: plan ?? "document", policy, states };
}

function readNamed(root: Field, map: ReadonlyMap<string, Field>, key: string): string | null {
  const field = map.get(key);
  if (field === undefined) root.report([], `The key \`${key}\` is missing.`);
  return field === undefined ? null : readText(field, "a name");
}

function readName(field: Field): string | null {
  const name = readText(field, "a name");
  return name !== null && isName(name, field) ? name : null;
}

function readStates(root: Field, field: Field | undefined): Pipeline["states"] | null {
  if (field === undefined) root.report([], "The key `states` is missing.");
  const map = field === undefined ? null : readMap(field, "a map of states", null);
  if (field === undefined || map === null) return null;
  if (map.size === 0 || map.size > MOST_STATES) {
    root.report(field.path, `A pipeline has 1 to ${MOST_STATES} states, this one has ${map.size}.`);
    return null;
  }
  // Without a prototype, so that no name a person or an agent comes up with (`constructor`) finds anything by accident.
  const states: Record<string, State> = Object.create(null);
  for (const [name, state] of map) if (isName(name, state)) states[name] = readState(name, state);
  return states;
}

/** Rules speak of every target as a map in a list; people may write a single one without the list, or only its state. */
function asWritten(value: unknown, path: Path): Path {
  const [top, , on, , index, ...rest] = path;
  if (top !== "states" || on !== "on" || typeof index !== "number") return path;
  const outcome = path.slice(0, 4);
  const written = valueAt(value, outcome);
  const target = Array.isArray(written) ? [...outcome, index] : outcome;
  return typeof valueAt(value, target) === "string" ? target : [...target, ...rest];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    // The paths were made from this very value, so the keys are its own.
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function keyOf(path: Path): string {
  return path.map((part) => (/^\w{1,60}$/.test(String(part)) ? String(part) : show(String(part)))).join(".");
}

/** A plan for the role `execute` is what it executes. Pipelines that were stored before the key existed rely on this. */
function defaultPlan(states: Pipeline["states"]): Pipeline["plan"] {
  const executes = Object.values(states).some(({ step }) => step.kind === "agent" && step.role === "execute");
  return executes ? "execution" : "document";
}
