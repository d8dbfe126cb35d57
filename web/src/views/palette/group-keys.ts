import type { Shortcut } from "../../app/shortcuts.ts";

export interface KeyGroup {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}

const EVERYWHERE = ["mod+k", "?", "c"];

/** The keys by what they are for. Of two for the same key, the newest works. */
export function groupKeys(active: readonly Shortcut[]): readonly KeyGroup[] {
  const working = [...new Map(active.map((shortcut) => [shortcut.keys, shortcut])).values()];
  const groups: readonly KeyGroup[] = [
    { title: "In this view", shortcuts: working.filter((each) => !isGo(each) && !isEverywhere(each)) },
    { title: "Everywhere", shortcuts: working.filter(isEverywhere) },
    { title: "Go to", shortcuts: working.filter(isGo) },
  ];
  return groups.filter(({ shortcuts }) => shortcuts.length > 0);
}

function isGo({ keys }: Shortcut): boolean {
  return keys.startsWith("g ");
}

function isEverywhere({ keys }: Shortcut): boolean {
  return EVERYWHERE.includes(keys);
}

const NAMES: Readonly<Record<string, string>> = {
  Enter: "↵",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** A key as it is written on a keyboard: "⌘K" or "Ctrl K", "Esc". */
export function nameOfKey(key: string, isMac = navigator.platform.startsWith("Mac")): string {
  const [name = key, mod] = key.startsWith("mod+") ? [key.slice(4), isMac ? "⌘" : "Ctrl "] : [key];
  return `${mod ?? ""}${NAMES[name] ?? (name.length === 1 ? name.toUpperCase() : name)}`;
}
