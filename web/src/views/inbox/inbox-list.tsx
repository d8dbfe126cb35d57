import { Link } from "@tanstack/react-router";
import type { ReportedTaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { answerDeadline, describeWait } from "../../decide/wait.ts";
import { Key } from "../../ui/button.tsx";
import { formatTime } from "../../ui/format.ts";
import { Glyph, RiskBars } from "../../ui/glyph.tsx";
import { useNow } from "../../ui/use-now.ts";
import type { WaitingTask } from "./sort-inbox.ts";

/** Without it, a link without a search counts as active for every search. */
const EXACT = { activeProps: {}, activeOptions: { exact: true, explicitUndefined: true } } as const;

interface InboxHeadProps {
  readonly tab: "open" | "decided";
  readonly count: number | undefined;
  /** False if the open decision is the title of the page. */
  readonly isPageTitle?: boolean;
}

/** The heading, and the switch between open and decided. */
export function InboxHead({ tab, count, isPageTitle = true }: InboxHeadProps) {
  return (
    <>
      {isPageTitle ? <h1 className="h1">Inbox</h1> : <p className="h1">Inbox</p>}
      <nav className="inbox-tabs" aria-label="Inbox">
        <span className="seg">
          <Link to="/inbox" search={{ tab: undefined }} {...EXACT} aria-current={tab === "open" ? "page" : undefined}>
            Open {count !== undefined && <span className="faint">{count}</span>}
          </Link>
          <Link
            to="/inbox"
            search={{ tab: "decided" }}
            {...EXACT}
            aria-current={tab === "decided" ? "page" : undefined}
          >
            Decided
          </Link>
        </span>
      </nav>
    </>
  );
}

interface InboxListProps {
  readonly decide: readonly WaitingTask[];
  readonly review: readonly WaitingTask[];
  readonly current: string;
}

export function InboxList({ decide, review, current }: InboxListProps) {
  const report = useApi("GET /report", {}, { enabled: review.length > 0 });
  const changes = new Map(
    [...(report.data?.sections.review.tasks ?? []), ...(report.data?.sections.decide.tasks ?? [])].map((each) => [
      each.id,
      each.change,
    ]),
  );
  return (
    <>
      <Group title="Decide" tasks={decide} {...{ current, changes }} />
      <Group title="Review and merge" tasks={review} {...{ current, changes }} />
      <p className="hint hide-sm inbox-hint">
        <Key>J</Key> <Key>K</Key> move, <Key>↵</Key> open. After a decision the next one opens.
      </p>
    </>
  );
}

type Changes = ReadonlyMap<string, ReportedTaskJson["change"]>;

interface GroupProps {
  readonly title: string;
  readonly tasks: readonly WaitingTask[];
  readonly current: string;
  readonly changes: Changes;
}

function Group({ title, tasks, current, changes }: GroupProps) {
  if (tasks.length === 0) return null;
  return (
    <>
      <h2>
        <span>{title}</span>
        <span>{tasks.length}</span>
      </h2>
      {tasks.map((task) => (
        <Item key={task.id} task={task} isCurrent={task.id === current} change={changes.get(task.id) ?? null} />
      ))}
    </>
  );
}

const RISK_WORDS = { low: "Low risk", medium: "Medium risk", high: "High risk" } as const;

interface ItemProps {
  readonly task: WaitingTask;
  readonly isCurrent: boolean;
  readonly change: ReportedTaskJson["change"];
}

function Item({ task, isCurrent, change }: ItemProps) {
  const request = task.change_request === null ? "" : ` #${task.change_request.number}`;
  const minutes = change === null ? describeWait(task.waiting_for) : `${change.reading_minutes} min`;
  return (
    <Link
      className="item"
      to="/inbox/$task"
      params={{ task: task.id }}
      activeProps={{}}
      aria-current={isCurrent ? "true" : undefined}
    >
      {change === null ? (
        <Glyph name="waiting" />
      ) : (
        <span className={`risk ${change.risk.level}`}>
          <RiskBars level={change.risk.level} />
        </span>
      )}
      <div>
        <div className="t" dir="auto">
          {task.title}
        </div>
        <div className="m">
          <span className="clip" dir="auto">
            {task.project}
            {request}, {minutes}
          </span>
          {change === null ? <When task={task} /> : <span className="nowrap">{RISK_WORDS[change.risk.level]}</span>}
        </div>
      </div>
    </Link>
  );
}

/** The deadline if there is one, otherwise how long it has waited. */
function When({ task: { waiting_for: waiting } }: { task: WaitingTask }) {
  const now = useNow();
  const deadline = answerDeadline(waiting);
  return deadline === null ? (
    <span className="nowrap">since {formatTime(waiting.since, now)}</span>
  ) : (
    <span className="nowrap c-amber strong">by {formatTime(deadline, now)}</span>
  );
}
