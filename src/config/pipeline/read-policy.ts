import { CATEGORIES } from "../../core/nightly/category.ts";
import {
  DEFAULT_POLICY,
  INSISTABLE_FINDINGS,
  type ChangePolicy,
  type PipelinePolicy,
  type PublishPolicy,
} from "../../core/pipeline/pipeline-policy.ts";
import { readBoolean, readListOf, readMap, readNumber, readOneOf, show, type Field } from "./read-fields.ts";

const POLICY_KEYS = [
  "categories",
  "change",
  "branch",
  "checks",
  "session",
  "context",
  "rebase",
  "ledger",
  "publish",
  "unpublished",
  "schedule",
  "report",
];
const CHANGE_KEYS = [
  "max_lines",
  "dependency_files",
  "gates",
  "ci_files",
  "binary_files",
  "submodules",
  "recent_files",
  "outside_concern",
  "insist",
];
const PUBLISH_KEYS = ["by", "text", "one_at_a_time", "cap_open"];
const MAX_LINES = { above: 0, most: 100_000, whole: true } as const;
const MAX_BRANCH = 100;

/** Keys that are left out have the value of an ordinary pipeline. */
export function readPolicy(field: Field): PipelinePolicy {
  const read = readerOf(field, "the pipeline's policy", POLICY_KEYS);
  const { change, publish, ...standard } = DEFAULT_POLICY;
  return {
    categories: read("categories", (child) => readListOf(child, "a category", CATEGORIES), standard.categories),
    change: read("change", readChange, change),
    branch: read("branch", readBranch, standard.branch),
    checks: read("checks", oneOf("which checks run", ["all", "related"]), standard.checks),
    session: read("session", oneOf("a session", ["continue", "fresh"]), standard.session),
    context: read("context", oneOf("what agents are shown", ["summaries", "analysis"]), standard.context),
    rebase: read("rebase", oneOf("how long to rebase", ["always", "until_checked"]), standard.rebase),
    ledger: read("ledger", readBoolean, standard.ledger),
    publish: read("publish", readPublish, publish),
    unpublished: read("unpublished", oneOf("what to do with it", ["keep", "remove"]), standard.unpublished),
    schedule: read("schedule", oneOf("how schedules start it", ["own", "alone"]), standard.schedule),
    report: read("report", oneOf("how it is reported", ["task", "night"]), standard.report),
  };
}

function readChange(field: Field): ChangePolicy {
  const read = readerOf(field, "rules for the change", CHANGE_KEYS);
  const standard = DEFAULT_POLICY.change;
  const stance = oneOf("a rule", ["refuse", "show"]);
  const allowance = oneOf("a rule", ["refuse", "allow"]);
  return {
    maxLines: read("max_lines", readMaxLines, standard.maxLines),
    dependencyFiles: read("dependency_files", stance, standard.dependencyFiles),
    gates: read("gates", stance, standard.gates),
    ciFiles: read("ci_files", stance, standard.ciFiles),
    binaryFiles: read("binary_files", stance, standard.binaryFiles),
    submodules: read("submodules", stance, standard.submodules),
    recentFiles: read("recent_files", allowance, standard.recentFiles),
    outsideConcern: read("outside_concern", allowance, standard.outsideConcern),
    insist: read("insist", (child) => readListOf(child, "a finding", INSISTABLE_FINDINGS), standard.insist),
  };
}

function readPublish(field: Field): PublishPolicy {
  const read = readerOf(field, "rules for publishing", PUBLISH_KEYS);
  const standard = DEFAULT_POLICY.publish;
  return {
    by: read("by", oneOf("who publishes", ["engine", "improve.publish"]), standard.by),
    text: read("text", oneOf("where the texts come from", ["task", "described"]), standard.text),
    oneAtATime: read("one_at_a_time", readBoolean, standard.oneAtATime),
    capOpen: read("cap_open", readBoolean, standard.capOpen),
  };
}

/** A number, or the setting that has it. */
function readMaxLines(field: Field): ChangePolicy["maxLines"] {
  if (field.value === "improve.max_diff_lines") return field.value;
  if (typeof field.value === "number") return readNumber(field, MAX_LINES);
  field.report(field.path, `Expected a number of lines or improve.max_diff_lines, found ${show(field.value)}.`);
  return null;
}

/** A prefix that git accepts, so that every name made from it is a valid branch. */
function readBranch({ value, path, report }: Field): string | null {
  const [prefix, ...rest] = typeof value === "string" ? value.split("{{slug}}") : [];
  const isValid = typeof value === "string" && value.length <= MAX_BRANCH && rest.length === 1 && rest[0] === "";
  if (isValid && /^([a-z0-9][a-z0-9_-]*\/)+$/i.test(prefix ?? "")) return value;
  report(path, `Expected a branch such as "night-shift/{{slug}}", found ${show(value)}.`);
  return null;
}

type Read = <T>(key: string, how: (field: Field) => T | null, standard: T) => T;

/** Reads the keys of one map; a value that cannot be read is reported and replaced by the standard. */
function readerOf(field: Field, what: string, keys: readonly string[]): Read {
  const map = readMap(field, what, keys);
  return (key, how, standard) => {
    const child = map?.get(key);
    return child === undefined ? standard : (how(child) ?? standard);
  };
}

function oneOf<T extends string>(what: string, allowed: readonly T[]): (field: Field) => T | null {
  return (field) => readOneOf(field, what, allowed);
}
