import { useState } from "react";

const PREFIX = "nightshift.draft.";

/** State that survives a reload, so that nothing typed is lost. `clear` forgets it after it was sent. */
export function useDraft<T>(name: string, initial: T): readonly [T, (value: T) => void, () => void] {
  const key = PREFIX + name;
  const [draft, setDraft] = useState(() => ({ key, value: read(key, initial) }));
  const value = draft.key === key ? draft.value : read(key, initial);
  return [
    value,
    (next) => {
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // The browser keeps a few megabytes only. The text is still on the page.
      }
      setDraft({ key, value: next });
    },
    () => {
      localStorage.removeItem(key);
      setDraft({ key, value: initial });
    },
  ];
}

function read<T>(key: string, initial: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? initial : (JSON.parse(text) as T); // only this file writes these keys
  } catch {
    return initial; // an older version of the page wrote something else
  }
}
