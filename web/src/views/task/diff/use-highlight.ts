import { useEffect, useState } from "react";
import type { ChangedFile } from "./change.ts";
import type { ColoredPatch } from "./highlight.ts";

/** Larger files stay plain, because colouring them takes longer than reading them. */
const MAX_CHARACTERS = 400_000;

const colored = new Map<string, ColoredPatch | null>();
const MAX_KEPT = 60;

/** The colours of these files, as soon as they are known. Without them the lines are shown plain. */
export function useHighlight(visible: readonly ChangedFile[]): (file: ChangedFile) => ColoredPatch | null {
  const [, setCount] = useState(0);
  const wanted = visible.filter((file) => isColorable(file) && !colored.has(keyOf(file)));
  const names = wanted.map(keyOf).join(" ");
  useEffect(() => {
    if (wanted.length === 0) return undefined;
    let isOver = false;
    const run = async (): Promise<void> => {
      const { colorPatch } = await import("./highlight.ts");
      for (const file of wanted) {
        if (isOver) return;
        // A broken patch or a missing worker must not keep the change from being read.
        const result = await colorPatch(file.patch).catch(() => null);
        keep(keyOf(file), result);
        if (!isOver) setCount((count) => count + 1);
      }
    };
    void run().catch(() => undefined);
    return () => {
      isOver = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the names say which files are wanted
  }, [names]);
  return (file) => colored.get(keyOf(file)) ?? null;
}

function keyOf({ path, fingerprint }: ChangedFile): string {
  return `${encodeURIComponent(path)}:${fingerprint}`;
}

function isColorable({ patch, binary }: ChangedFile): boolean {
  return !binary && patch !== "" && patch.length <= MAX_CHARACTERS;
}

function keep(key: string, result: ColoredPatch | null): void {
  colored.set(key, result);
  const [oldest] = colored.keys();
  if (colored.size > MAX_KEPT && oldest !== undefined) colored.delete(oldest);
}
