import type { Issue } from "../../core/text/errors.ts";
import { PLAN_KINDS } from "../../core/outcomes/outcome-entry.ts";
import type { Pipeline, State } from "../../core/pipeline/pipeline.ts";
import { edgesFrom, type Edge } from "../../core/pipeline/pipeline-graph.ts";
import { defaultPolicy } from "../../core/pipeline/pipeline-policy.ts";
import { everyPolicyHasItsStates, PIPELINE_RULES, type Finding } from "./pipeline-rules.ts";
import { readMap, readOneOf, readText, show, type Field, type Path } from "./read-fields.ts";
import { readPolicy } from "./read-policy.ts";
import { readState } from "./read-state.ts";
import { isName } from "./read-target.ts";

const PIPELINE_KEYS = ["name", "start", "each", "plan", "policy", "states"];
const MAX_STATES = 200;
/** Some rules look at every pair of edges. */
const MAX_EDGES = 2000;
const MAX_ISSUES = 200;

export interface PipelineSource {
  /** The requested name: the file name without `.yaml`. */
  readonly name: string;
  /** For messages; null if the text does not come from a file. */
  readonly file: string | null;
  readonly hash: string;
  /** The parsed YAML. */
  readonly value: unknown;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of the key at this path, or of its nearest parent in the text. */
export type Locate = (path: Path) => Position;

export type PipelineResult =
  | { readonly ok: true; readonly pipeline: Pipeline }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Reads and validates a pipeline. Reports all problems at once, in the order of the text. */
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
    const edges = Object.values(pipeline.states).flatMap(edgesFrom);
    const isPolicyWritten = valueAt(source.value, ["policy"]) !== undefined;
    const rules = isPolicyWritten ? [...PIPELINE_RULES, everyPolicyHasItsStates] : PIPELINE_RULES;
    const found =
      edges.length > MAX_EDGES ? [tooManyEdges(edges)] : rules.flatMap((rule) => rule({ pipeline, edges, broken }));
    findings.push(...found.map(({ path, message }) => ({ path: toWrittenPath(source.value, path), message })));
  }
  if (pipeline !== null && findings.length === 0) return { ok: true, pipeline };
  return { ok: false, issues: toIssues(findings, source.file, locate) };
}

function tooManyEdges({ length }: readonly Edge[]): Finding {
  const message = `A pipeline has at most ${MAX_EDGES} edges between its states, this one has ${length}.`;
  return { path: ["states"], message };
}

function toIssues(findings: readonly Finding[], file: string | null, locate: Locate): readonly Issue[] {
  const issues = findings
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ file, ...locate(path), key: keyOf(path), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  const hidden = findings.length - issues.length;
  const more = { file, line: null, column: null, key: "", message: `There are ${hidden} more problems.` };
  return hidden === 0 ? issues : [...issues, more];
}

/** Null if too much is missing to apply the rules. */
function readPipeline(source: PipelineSource, root: Field): Pipeline | null {
  const map = readMap(root, "a pipeline: a map with name, start and states", PIPELINE_KEYS);
  if (map === null) return null;
  const start = readRequiredName(root, map, "start");
  const eachField = map.get("each");
  const each = eachField === undefined ? null : readName(eachField);
  const planField = map.get("plan");
  const policyField = map.get("policy");
  const policy = policyField === undefined ? defaultPolicy(each !== null) : readPolicy(policyField);
  const states = readStates(root, map.get("states"));
  const name = readRequiredName(root, map, "name");
  if (name !== null && name !== source.name)
    root.report(
      ["name"],
      `The name is ${show(name)}, but the file is called ${show(source.name)}. Make them the same.`,
    );
  if (start === null || states === null) return null;
  const plan = planField === undefined ? defaultPlan(states) : readOneOf(planField, "a kind of plan", PLAN_KINDS);
  return { name: source.name, hash: source.hash, start, each, plan: plan ?? "document", policy, states };
}

function readRequiredName(root: Field, map: ReadonlyMap<string, Field>, key: string): string | null {
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
  if (map.size === 0 || map.size > MAX_STATES) {
    root.report(field.path, `A pipeline has 1 to ${MAX_STATES} states, this one has ${map.size}.`);
    return null;
  }
  // No prototype, so that looking up a name such as `constructor` finds nothing.
  const states: Record<string, State> = Object.create(null);
  for (const [name, state] of map) if (isName(name, state)) states[name] = readState(name, state);
  return states;
}

/** Rules address every target as a map in a list, but people may write a single target without the list, or only its state. */
function toWrittenPath(value: unknown, path: Path): Path {
  const [top, , on, , index, ...rest] = path;
  if (top !== "states" || on !== "on" || typeof index !== "number") return path;
  const outcome = path.slice(0, 4);
  const written = valueAt(value, outcome);
  const target = Array.isArray(written) ? [...outcome, index] : outcome;
  return typeof valueAt(value, target) === "string" ? target : [...target, ...rest];
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    // The paths come from this value, so the keys exist in it.
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

function keyOf(path: Path): string {
  return path.map((part) => (/^\w{1,60}$/.test(String(part)) ? String(part) : show(String(part)))).join(".");
}

/** With a state of the role `execute`, the plan is what it executes. Pipelines stored before the key existed need this. */
function defaultPlan(states: Pipeline["states"]): Pipeline["plan"] {
  const executes = Object.values(states).some(({ step }) => step.kind === "agent" && step.role === "execute");
  return executes ? "execution" : "document";
}
