import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { useDismiss } from "./use-dismiss.ts";

export interface MenuItem {
  readonly id: string;
  readonly label: ReactNode;
  /** Why it is not possible now. The item can still be focused, so that the reason can be read. */
  readonly refusal?: string | null;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

export interface MenuProps {
  /** Names the button, such as "Actions on Fix the search". */
  readonly label: string;
  readonly children: ReactNode;
  readonly items: () => readonly MenuItem[];
  readonly className?: string;
  readonly onOpenChange?: (isOpen: boolean) => void;
}

/** A button that opens a list of actions. Arrow keys move, Enter runs, Escape closes. */
export function Menu({ label, children, items, className, onOpenChange }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const holder = useRef<HTMLSpanElement>(null);
  const change = (next: boolean): void => {
    setOpen(next);
    onOpenChange?.(next);
  };
  const close = (): void => {
    change(false);
    holder.current?.querySelector("button")?.focus();
  };
  useDismiss(holder, isOpen, close);
  return (
    <span className="pop-holder" ref={holder}>
      <Button
        kind="quiet"
        size="small"
        isIcon
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => change(!isOpen)}
      >
        {children}
      </Button>
      {isOpen && <MenuList label={label} items={items()} onClose={close} />}
    </span>
  );
}

function MenuList({ label, items, onClose }: { label: string; items: readonly MenuItem[]; onClose: () => void }) {
  const list = useRef<HTMLDivElement>(null);
  const [isAbove, setAbove] = useState(false);
  useLayoutEffect(() => {
    const box = list.current?.getBoundingClientRect();
    setAbove(box !== undefined && box.bottom > innerHeight && box.top > box.height);
  }, []);
  useEffect(() => list.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus(), []);
  return (
    <div
      className={isAbove ? "pop menu above" : "pop menu"}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      ref={list}
      onKeyDown={(event) => moveFocus(event, onClose)}
    >
      {items.map((item) => (
        <MenuRow key={item.id} item={item} onClose={onClose} />
      ))}
    </div>
  );
}

function MenuRow({
  item: { label, refusal = null, isDanger = false, run },
  onClose,
}: {
  item: MenuItem;
  onClose: () => void;
}) {
  const reasonId = useId();
  const isRefused = refusal !== null;
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={isDanger ? "danger" : undefined}
      aria-disabled={isRefused || undefined}
      aria-describedby={isRefused ? reasonId : undefined}
      onClick={() => {
        if (isRefused) return;
        onClose();
        run();
      }}
    >
      <span>{label}</span>
      {isRefused && (
        <span className="hint" id={reasonId}>
          {refusal}
        </span>
      )}
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>, onClose: () => void): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const at = rows.findIndex((row) => row === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (event.key === "Tab") onClose();
  // Keys of the view behind the menu do nothing while it is open.
  if (event.key.length === 1) event.preventDefault();
  if (to === undefined) return;
  event.preventDefault();
  rows.at(to % rows.length)?.focus();
}
