import { useEffect, useRef, useSyncExternalStore } from "react";

export interface Shortcut {
  /** One key ("c", "?", "Escape"), two in a row ("g m"), or with the command key ("mod+k"; ⌘ on a Mac, Ctrl elsewhere). */
  readonly keys: string;
  /** For the list of keys, such as "Go to the inbox". */
  readonly label: string;
  readonly run: (event: KeyboardEvent) => void;
}

const SEQUENCE_MS = 1200;
const SETTING = "nightshift.keys";

/** The newest last: a dialog or a view may take over a key of the shell. */
const active: Shortcut[] = [];
const listeners = new Set<() => void>();
let snapshot: readonly Shortcut[] = [];
let first: { readonly key: string; readonly at: number } | null = null;

function changed(): void {
  snapshot = [...active];
  for (const listener of listeners) listener();
}

/** Single letters can be switched off, because speech input may trigger them by accident. */
export function areLettersOn(): boolean {
  return localStorage.getItem(SETTING) !== "off";
}

export function switchLetters(on: boolean): void {
  localStorage.setItem(SETTING, on ? "on" : "off");
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.matches("input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]")
  );
}

/** Returns the name of a pressed key as in `Shortcut.keys`. */
export function nameKey(event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey">): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return event.metaKey || event.ctrlKey ? `mod+${key}` : key;
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.altKey || event.isComposing) return;
  const key = nameKey(event);
  const isPlain = !key.startsWith("mod+") && key !== "Escape";
  // Keys of the view behind a dialog do nothing. The dialog itself reacts to Escape.
  if (!key.startsWith("mod+") && document.querySelector("dialog[open]") !== null) return;
  if (isPlain && (isTyping(event.target) || (key.length === 1 && !areLettersOn()))) return;
  const sequence = first !== null && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${key}` : null;
  const found = active.findLast(({ keys }) => keys === sequence) ?? active.findLast(({ keys }) => keys === key);
  first = isPlain && key.length === 1 ? { key, at: event.timeStamp } : null;
  if (found === undefined) return;
  first = null;
  event.preventDefault();
  found.run(event);
}

/** Listens to the keyboard. Call it once. */
export function startShortcuts(): void {
  addEventListener("keydown", press);
}

/** Binds a key while the component is shown. Null binds nothing. */
export function useShortcut(shortcut: Shortcut | null): void {
  const latest = useRef(shortcut);
  useEffect(() => {
    latest.current = shortcut;
  });
  const keys = shortcut?.keys ?? null;
  const label = shortcut?.label ?? "";
  useEffect(() => {
    if (keys === null) return undefined;
    const entry: Shortcut = { keys, label, run: (event) => latest.current?.run(event) };
    active.push(entry);
    changed();
    return () => {
      active.splice(active.indexOf(entry), 1);
      changed();
    };
  }, [keys, label]);
}

/** The keys that work now, for the list of keys. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => snapshot,
  );
}
