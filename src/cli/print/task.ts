import { describeCheckStatus } from "../../core/task/describe-check.ts";
import { findProof, PROOF_CHECK } from "../../core/task/proof.ts";
import { shortHash } from "../../core/text/short-hash.ts";
import { escapedLine, terminalLine } from "../../core/text/terminal-text.ts";
import type { RunJson, TaskJson } from "../../http/client/client.ts";
import { severityWord, styleOfCheck, withoutFindings } from "./findings.ts";
import { formatMessage } from "./message.ts";
import { cutToFit, indentText, textWidth } from "./fit-text.ts";
import { shortId, shortRunId } from "./short-id.ts";
import { paintStatus, styleOfStatus, type Screen } from "./style.ts";
import { table, type Column } from "./table.ts";
import { describeTime } from "./time.ts";
import { duration, money } from "./words.ts";

const MAX_LINE = 200;
const GAP = "  ";
const MIN_TITLE = 24;

/** One line about a task, the output of most commands. */
export function taskLine(screen: Screen, task: TaskJson): string {
  const waits = task.waiting_for === null ? "" : ` – waiting for ${task.waiting_for.kind}`;
  const head = `${shortId(screen, task)}  ${paintStatus(screen, task.status)} in ${task.state}${waits}${describeQueued(task)}`;
  const used = textWidth(head) + GAP.length;
  // Where a title would have too little room, it gets a line of its own.
  const [gap, taken] = (screen.width ?? Infinity) - used < MIN_TITLE ? [`\n${GAP}`, GAP.length] : [GAP, used];
  return `${head}${gap}${cutToFit(screen, terminalLine(task.title, MAX_LINE), taken)}\n`;
}

function describeQueued({ queued_for: queued }: TaskJson): string {
  if (queued === null) return "";
  return ` – ${queued.kind}${queued.until === null ? "" : `, next attempt ${describeTime(queued.until)}`}`;
}

const RUN_COLUMNS: readonly Column[] = [
  { heading: "RUN" },
  { heading: "STATE", drop: 2 },
  { heading: "ROLE" },
  { heading: "AGENT", drop: 3 },
  { heading: "STATUS" },
  { heading: "OUTCOME" },
  { heading: "TIME", align: "right", drop: 5 },
  { heading: "COST", align: "right", drop: 4 },
  { heading: "SANDBOX", drop: 1 },
];

export function runsTable(screen: Screen, runs: readonly RunJson[]): string {
  const rows = runs.map((run) => [
    shortId(screen, run),
    run.state,
    run.role ?? run.step,
    run.agent ?? "",
    { text: run.status, style: styleOfStatus(run.status) },
    run.outcome ?? "",
    run.duration_ms === null ? "" : duration(run.duration_ms),
    run.step === "agent" ? money(run.cost_usd) : "",
    run.sandbox ?? "–",
  ]);
  return table(screen, RUN_COLUMNS, rows);
}

const CHECK_COLUMNS: readonly Column[] = [
  { heading: "RUN", drop: 3 },
  { heading: "CHECK", min: 16 },
  { heading: "RESULT" },
  { heading: "SEVERITY", drop: 1 },
  { heading: "TIME", align: "right", drop: 2 },
];

export function checksTable(screen: Screen, task: TaskJson): string {
  const rows = task.checks.map((check) => [
    shortRunId(screen, task, check.run),
    check.name,
    { text: describeCheckStatus(check), style: styleOfCheck(check) },
    severityWord(check),
    duration(check.duration_ms),
  ]);
  return table(screen, CHECK_COLUMNS, rows);
}

/** Describes a task in several lines, without its path and its runs. */
export function facts(screen: Screen, task: TaskJson): string {
  const url = task.artifacts.findLast(({ type }) => type === "change_request")?.url ?? null;
  const reason =
    task.reason !== null && task.reason === publishedReason(task) ? "" : reasonWithoutUrl(task.reason ?? "", url);
  const wrap = (line: string): string => indentText(screen, line, "  ", "    ");
  // Names that people copy are not broken.
  const lines = [
    wrap(
      `project ${task.project}, pipeline ${task.pipeline}, priority ${task.priority}, submitted by ${task.submitted_by} ${describeTime(task.created_at)}`,
    ),
    ...(task.category === null ? [] : [wrap(`category ${task.category}`)]),
    ...(task.unchecked.length === 0 ? [] : [wrap(describeUnchecked(task))]),
    ...(task.branch === null ? [] : [`  branch ${task.branch}`]),
    ...commits(task).map(wrap),
    wrap(
      `took ${duration(task.duration_ms)}, agents ${duration(task.agent_ms ?? 0)}, cost ${money(task.cost_usd, task.unknown_cost ?? 0)}`,
    ),
    ...describeProof(task).map(wrap),
    ...describeOrigin(task).map(wrap),
    ...describeStop(task).map(wrap),
    ...whyQueued(task).map((why) => wrap(`${queuedLabel(task)}: ${formatMessage(why)}`)),
    ...(url === null ? [] : [`  change request: ${escapedLine(url)}${describeRequestState(task)}`]),
    ...(reason === "" ? [] : [wrap(`reason: ${formatMessage(withoutFindings(reason, task))}`)]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** An open change request needs no remark. */
function describeRequestState({ change_request: request }: TaskJson): string {
  // A daemon of an older version does not send it.
  if (request == null || request.state === "open") return "";
  return ` (${request.state}${request.ended_at === null ? "" : ` ${describeTime(request.ended_at)}`})`;
}

/** Whether the tests of a fix fail without it. Empty if that was not examined. */
export function describeProof({ checks }: Pick<TaskJson, "checks">): readonly string[] {
  const found = findProof(checks);
  return found === null
    ? []
    : [`${PROOF_CHECK}: ${describeCheckStatus(found.check)}. ${escapedLine(found.check.tail)}`];
}

export function describeUnchecked({ unchecked }: Pick<TaskJson, "unchecked">): string {
  return `not checked, because the project's checks are not accepted: ${unchecked.map(escapedLine).join(", ")}`;
}

/** Such as `subtasks: 2 of 5 done`. Empty without subtasks. */
export function describeSubtasks({ subtasks = [] }: Partial<Pick<TaskJson, "subtasks">>): readonly string[] {
  if (subtasks.length === 0) return [];
  return [`subtasks: ${subtasks.filter(({ done }) => done).length} of ${subtasks.length} done`];
}

/** Why nothing vouches for a published change. Null if it passed the checks or is not published. */
export function unverifiedReason({ runs }: Pick<TaskJson, "runs">): string | null {
  const reason = runs.findLast(({ outcome }) => outcome === "published")?.payload?.["unverified"];
  return typeof reason === "string" ? reason : null;
}

/** Whether the task did all that was requested with `--until`. A daemon of an older version does not send it. */
export function hasStopped({ until = null }: Partial<Pick<TaskJson, "until">>): boolean {
  return until?.reached ?? false;
}

export function describeStop({ until = null }: Partial<Pick<TaskJson, "until">>): readonly string[] {
  if (until === null) return [];
  return [until.reached ? `stopped after "${until.state}" as requested` : `stops after "${until.state}"`];
}

/** A daemon of an older version does not send it. */
function describeOrigin(task: Partial<TaskJson>): readonly string[] {
  const { after = [], related = null, issue = null, variant_of: variantOf = null } = task;
  return [
    ...(variantOf === null ? [] : [`variant ${variantOf.number} of ${variantOf.task}`]),
    ...(issue === null ? [] : [`issue: ${escapedLine(issue.url)}`]),
    ...(related === null ? [] : [`related to ${related}`]),
    ...(after.length === 0 ? [] : [`after ${after.join(", ")}`]),
  ];
}

/** A task that waits for another one has not been tried yet. */
function queuedLabel({ queued_for: queued }: TaskJson): string {
  return queued?.kind === "dependency" || queued?.kind === "variants" ? "waiting" : "will be retried";
}

/** Without a reason of its own, the error of the last run explains the wait. */
function whyQueued({ queued_for: queued, runs }: TaskJson): readonly string[] {
  if (queued !== null && queued.reason !== null) return [queued.reason];
  const error = runs.findLast(({ finished_at: finished }) => finished !== null)?.error ?? null;
  return queued === null || error === null ? [] : [error];
}

/** Publishing squashes the agent's commits into one, so the same files have two commit hashes. */
function commits({ base_commit: base, head_commit: head, artifacts }: TaskJson): readonly string[] {
  const published = artifacts.findLast(({ type }) => type === "commit")?.label;
  const hashes = [
    ...(base === null ? [] : [`base ${shortHash(base)}`]),
    ...(head === null ? [] : [`work ${shortHash(head)}`]),
    ...(published === undefined ? [] : [`published ${escapedLine(published)}`]),
  ];
  return hashes.length === 0 ? [] : [hashes.join(", ")];
}

/** Without a forge, the reason of a published task is its branch and commit, which have lines of their own. */
function publishedReason({ branch, artifacts }: TaskJson): string | null {
  const commit = artifacts.findLast(({ type }) => type === "commit")?.label;
  return branch === null || commit === undefined ? null : `${branch} at ${commit}`;
}

/** The reason of a published task is its URL, optionally followed by a problem that the forge reported. Removes the URL. */
function reasonWithoutUrl(reason: string, url: string | null): string {
  if (url === null || !`${reason} `.startsWith(`${url} `)) return reason;
  const rest = reason.slice(url.length).trim();
  return /^\((.*)\)$/s.exec(rest)?.[1] ?? rest;
}
