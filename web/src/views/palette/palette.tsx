import { Search } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useAct } from "../../act/use-act.tsx";
import { Button, Key } from "../../ui/button.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { findResults, type PaletteItem } from "./item.ts";
import { PaletteList } from "./palette-list.tsx";
import { useCommandsGroup, usePlacesGroup, useTasksGroup } from "./use-groups.ts";
import { useActionsGroup, useSubject } from "./use-subject.ts";

interface PaletteProps {
  readonly onClose: () => void;
  readonly onKeys: () => void;
}

/** Finds tasks, goes to places, and does what is possible with the selected task. */
export function Palette({ onClose, onKeys }: PaletteProps) {
  const [query, setQuery] = useState("");
  const [active, setActive] = useState<string | null>(null);
  const [isActing, setActing] = useState(false);
  const listId = useId();
  const act = useAct();
  const subject = useSubject();
  const actions = useActionsGroup(subject, act);
  const tasks = useTasksGroup(query, onClose);
  const places = usePlacesGroup(onClose, onKeys);
  const commands = useCommandsGroup(query, onClose);
  const groups = findResults(query, subject.isChosen ? [actions] : [actions, tasks.group, places, commands]);
  const items = groups.flatMap((group) => group.items);
  const current = items.find(({ id }) => id === active) ?? items[0] ?? null;

  useEffect(() => {
    if (isActing && act.dialog === null && !act.isBusy && act.failure === null) onClose();
  }, [isActing, act.dialog, act.isBusy, act.failure, onClose]);

  const run = (item: PaletteItem | null): void => {
    if (item === null || item.refusal != null) return;
    item.run();
    if (item.id.startsWith("act ")) setActing(true);
  };
  const ask = (text: string): void => {
    setQuery(text);
    setActive(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const at = current === null ? -1 : items.indexOf(current);
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) setActive(items.at((at + move) % items.length)?.id ?? null);
    else if (event.key === "Enter") run(current);
    else if (event.key === "Tab" && current?.task !== undefined) {
      subject.choose(current.task);
      ask("");
    } else if (event.key === "Backspace" && query === "" && subject.isChosen) subject.choose(null);
    else if (event.key === "Escape") onClose();
    else return;
    event.preventDefault();
  };

  if (act.dialog !== null) return act.dialog;
  return (
    <PaletteDialog onClose={onClose}>
      <div className="q-in">
        <Search size={16} strokeWidth={1.75} aria-hidden />
        <input
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={current === null ? undefined : optionId(listId, current)}
          aria-label="Search or do something"
          placeholder={
            subject.isChosen ? `What to do with “${subject.task?.title ?? ""}”` : "Search tasks, or say what to do"
          }
          autoFocus
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          maxLength={200}
          value={query}
          onChange={(event) => ask(event.target.value)}
          onKeyDown={onKeyDown}
        />
        <Button kind="quiet" size="small" onClick={onClose}>
          Close <Key>Esc</Key>
        </Button>
      </div>
      {act.failure !== null && <ErrorBanner title="That did not work." error={act.failure.error} />}
      <PaletteList
        id={listId}
        groups={groups}
        current={current}
        optionId={(item) => optionId(listId, item)}
        onHover={(item) => setActive(item.id)}
        onRun={run}
      />
      {items.length === 0 && (
        <p className="pal-none muted">
          {tasks.isLoading ? "Searching…" : "Nothing matches. Tasks are found by title, id or branch."}
        </p>
      )}
      <span className="sr" role="status">
        {tasks.isLoading ? "" : `${items.length} results`}
      </span>
      <Foot canShowMore={current?.task !== undefined} isChosen={subject.isChosen} />
    </PaletteDialog>
  );
}

function optionId(listId: string, { id }: PaletteItem): string {
  return `${listId} ${id}`.replaceAll(/[^\w-]/g, "_");
}

function Foot({ canShowMore, isChosen }: { canShowMore: boolean; isChosen: boolean }) {
  return (
    <div className="ft" aria-hidden>
      <span>
        <Key>↑</Key> <Key>↓</Key> move
      </span>
      <span>
        <Key>↵</Key> do it
      </span>
      {canShowMore && (
        <span>
          <Key>Tab</Key> more on this
        </span>
      )}
      {isChosen && (
        <span>
          <Key>⌫</Key> back
        </span>
      )}
      <span className="end">
        <Key>?</Key> all keys
      </span>
    </div>
  );
}

/** Without the title and the padding of other dialogs. */
function PaletteDialog({ onClose, children }: { onClose: () => void; children: React.ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog modal pal"
      aria-label="Search or do something"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
