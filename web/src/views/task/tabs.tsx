import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useShortcut } from "../../app/shortcuts.ts";
import { formatCount } from "../../ui/format.ts";

export const TABS = [
  { name: "timeline", label: "Timeline" },
  { name: "transcript", label: "Transcript" },
  { name: "diff", label: "Diff" },
  { name: "plan", label: "Plan" },
  { name: "checks", label: "Checks" },
  { name: "artifacts", label: "Artifacts" },
  { name: "context", label: "Context" },
  { name: "cost", label: "Cost" },
  { name: "permissions", label: "Permissions" },
] as const;
export type TabName = (typeof TABS)[number]["name"];

export function findTab(name: string): TabName | null {
  return TABS.find((tab) => tab.name === name)?.name ?? null;
}

/** The tabs are links, so that each has an address. The keys 1 to 9 open them. */
export function TaskTabs({ task, current }: { task: TaskJson; current: TabName | null }) {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    if (current === null) return;
    const link = bar.current?.querySelector<HTMLElement>('[aria-current="page"]');
    // On phones the tabs scroll sideways.
    if (link != null && bar.current !== null)
      bar.current.scrollLeft = link.offsetLeft - (bar.current.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return (
    <nav className="tabs" aria-label="Task" ref={bar}>
      {TABS.map(({ name, label }, index) => (
        <Tab key={name} {...{ name, label, task }} number={index + 1} isCurrent={name === current} />
      ))}
    </nav>
  );
}

interface TabProps {
  readonly name: TabName;
  readonly label: string;
  readonly number: number;
  readonly task: TaskJson;
  readonly isCurrent: boolean;
}

function Tab({ name, label, number, task, isCurrent }: TabProps) {
  const navigate = useNavigate();
  const to = { to: "/tasks/$id/$tab", params: { id: task.id, tab: name } } as const;
  useShortcut({ keys: String(number), label: `Open ${label}`, run: () => void navigate(to) });
  const count = countOf(task, name);
  return (
    // The address may have the short id, so the router cannot know which tab is the current one.
    <Link {...to} activeProps={{}} aria-current={isCurrent ? "page" : undefined} title={`${label}  ${number}`}>
      {label}
      {count !== null && count > 0 && <span className="n">{formatCount(count)}</span>}
    </Link>
  );
}

/** Null for tabs without a number. */
function countOf({ runs, checks, artifacts }: TaskJson, name: TabName): number | null {
  switch (name) {
    case "transcript":
      return runs.filter(({ started_at: started }) => started !== null).length;
    case "checks":
      return new Set(checks.map((check) => check.name)).size;
    case "artifacts":
      return artifacts.length;
    default:
      return null;
  }
}
