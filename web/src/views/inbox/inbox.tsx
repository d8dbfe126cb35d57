import { useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useShortcut } from "../../app/shortcuts.ts";
import { useTitle } from "../../app/title.ts";
import { Empty, Loaded } from "../../ui/state.tsx";
import { Decided } from "./decided.tsx";
import { DecisionPane } from "./decision-pane.tsx";
import { InboxHead, InboxList } from "./inbox-list.tsx";
import { useIsWide } from "./use-is-wide.ts";
import { sortInbox } from "./sort-inbox.ts";

/** As many as one request returns. More than that wait for nobody. */
const MAX_WAITING = 1000;

/** What waits for a person, one decision after the other. */
export function InboxView() {
  useTitle("Inbox");
  const { task } = useParams({ strict: false });
  const { tab } = useSearch({ strict: false }) as { readonly tab?: string };
  const query = useApi("GET /tasks", { query: { status: "waiting", limit: MAX_WAITING } });
  const count = query.data?.tasks.length;
  if (tab === "decided" && task === undefined)
    return (
      <div className="page">
        <InboxHead tab="decided" count={count} />
        <Decided />
      </div>
    );
  return (
    <Loaded query={query} what="The inbox">
      {({ tasks }) => <OpenInbox tasks={tasks} chosen={task ?? null} />}
    </Loaded>
  );
}

function OpenInbox({ tasks, chosen }: { tasks: readonly TaskJson[]; chosen: string | null }) {
  const navigate = useNavigate();
  const { history } = useRouter();
  const list = useRef<HTMLDivElement>(null);
  const [hasDecided, setDecided] = useState(false);
  const isWide = useIsWide();
  const { decide, review } = sortInbox(tasks);
  const order = [...decide, ...review];
  // On a wide screen the first one is open; on a phone only the list.
  const current = chosen ?? order[0]?.id ?? null;

  function move(step: number): void {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a.item") ?? [])];
    const focused = links.indexOf(document.activeElement as HTMLElement);
    const from = focused === -1 ? links.findIndex((link) => link.hasAttribute("aria-current")) : focused;
    links[Math.min(links.length - 1, Math.max(0, from + step))]?.focus();
  }
  useShortcut({ keys: "j", label: "Next in the inbox", run: () => move(1) });
  useShortcut({ keys: "k", label: "Previous in the inbox", run: () => move(-1) });
  useShortcut({ keys: "u", label: "Back", run: () => history.back() });

  /** Opens the one below, or the last one if there is none. */
  function openNext(decided: string): void {
    setDecided(true);
    const at = order.findIndex(({ id }) => id === decided);
    const rest = order.filter(({ id }) => id !== decided);
    const next = rest[Math.min(Math.max(at, 0), rest.length - 1)];
    void navigate(next === undefined ? { to: "/inbox" } : { to: "/inbox/$task", params: { task: next.id } });
  }

  if (current === null)
    return (
      <div className="page">
        <InboxHead tab="open" count={0} />
        <Empty title="Nothing waits for you">Plans to approve, questions, and changes to merge appear here.</Empty>
      </div>
    );
  return (
    <div className={chosen === null ? "split" : "split detail"}>
      <div className="list" ref={list}>
        <InboxHead tab="open" count={order.length} isPageTitle={chosen === null} />
        <InboxList {...{ decide, review, current }} />
      </div>
      {(chosen !== null || isWide) && (
        <DecisionPane
          key={current}
          id={current}
          isPageTitle={chosen !== null}
          takesFocus={hasDecided}
          onDecided={() => openNext(current)}
        />
      )}
    </div>
  );
}
