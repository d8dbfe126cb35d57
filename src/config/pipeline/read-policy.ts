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
  "proof",
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
const MAX_LINES = { above: 0, max: 100_000, whole: true } as const;
const MAX_BRANCH = 100;

/** Missing keys have the values of DEFAULT_POLICY. */
export function readPolicy(field: Field): PipelinePolicy {
  const read = readerOf(field, "the pipeline's policy", POLICY_KEYS);
  const { change, publish, ...standard } = DEFAULT_POLICY;
  return {
    categories: read("categories", (child) => readListOf(child, "a category", CATEGORIES), standard.categories),
    change: read("change", readChange, change),
    branch: read("branch", readBranch, standard.branch),
    checks: read("checks", oneOf("a set of checks", ["all", "related"]), standard.checks),
    proof: read("proof", readBoolean, standard.proof),
    session: read("session", oneOf("a session", ["continue", "fresh"]), standard.session),
    context: read("context", oneOf("a context", ["summaries", "analysis"]), standard.context),
    rebase: read("rebase", oneOf("a rebase mode", ["always", "until_checked"]), standard.rebase),
    ledger: read("ledger", readBoolean, standard.ledger),
    publish: read("publish", readPublish, publish),
    unpublished: read("unpublished", oneOf("a rule for unpublished work", ["keep", "remove"]), standard.unpublished),
    schedule: read("schedule", oneOf("a schedule mode", ["own", "alone"]), standard.schedule),
    report: read("report", oneOf("a kind of report", ["task", "night"]), standard.report),
  };
}

function readChange(field: Field): ChangePolicy {
  const read = readerOf(field, "rules for the change", CHANGE_KEYS);
  const standard = DEFAULT_POLICY.change;
  const readStance = oneOf("a rule", ["refuse", "show"]);
  const readAllowance = oneOf("a rule", ["refuse", "allow"]);
  return {
    maxLines: read("max_lines", readMaxLines, standard.maxLines),
    dependencyFiles: read("dependency_files", readStance, standard.dependencyFiles),
    gates: read("gates", readStance, standard.gates),
    ciFiles: read("ci_files", readStance, standard.ciFiles),
    binaryFiles: read("binary_files", readStance, standard.binaryFiles),
    submodules: read("submodules", readStance, standard.submodules),
    recentFiles: read("recent_files", readAllowance, standard.recentFiles),
    outsideConcern: read("outside_concern", readAllowance, standard.outsideConcern),
    insist: read("insist", (child) => readListOf(child, "a finding", INSISTABLE_FINDINGS), standard.insist),
  };
}

function readPublish(field: Field): PublishPolicy {
  const read = readerOf(field, "rules for publishing", PUBLISH_KEYS);
  const standard = DEFAULT_POLICY.publish;
  return {
    by: read("by", oneOf("a publisher", ["engine", "improve.publish"]), standard.by),
    text: read("text", oneOf("a text source", ["task", "described"]), standard.text),
    oneAtATime: read("one_at_a_time", readBoolean, standard.oneAtATime),
    capOpen: read("cap_open", readBoolean, standard.capOpen),
  };
}

/** A number, or the name of a setting. */
function readMaxLines(field: Field): ChangePolicy["maxLines"] {
  if (field.value === "improve.max_diff_lines") return field.value;
  if (typeof field.value === "number") return readNumber(field, MAX_LINES);
  field.report(field.path, `Expected a number of lines or improve.max_diff_lines, found ${show(field.value)}.`);
  return null;
}

/** The prefix must be valid for git, so that every branch name made from it is valid. */
function readBranch({ value, path, report }: Field): string | null {
  const [prefix, ...rest] = typeof value === "string" ? value.split("{{slug}}") : [];
  const isValid = typeof value === "string" && value.length <= MAX_BRANCH && rest.length === 1 && rest[0] === "";
  if (isValid && /^([a-z0-9][a-z0-9_-]*\/)+$/i.test(prefix ?? "")) return value;
  report(path, `Expected a branch such as "night-shift/{{slug}}", found ${show(value)}.`);
  return null;
}

type Read = <T>(key: string, how: (field: Field) => T | null, standard: T) => T;

/** Reads the keys of one map. An invalid value is reported and replaced by the default. */
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
