import { CircleCheck } from "lucide-react";
import { useSyncExternalStore } from "react";

const SHOWN_MS = 5000;
let text: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  text = next;
  for (const listener of listeners) listener();
}

/** Says for some seconds what is now true. It must never be the only place that says so. */
export function showToast(message: string): void {
  clearTimeout(timer);
  set(message);
  timer = setTimeout(() => set(null), SHOWN_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => text);
  return (
    <div className="toasts" role="status">
      {shown !== null && (
        <div className="toast">
          <CircleCheck size={16} aria-hidden />
          <span dir="auto">{shown}</span>
        </div>
      )}
    </div>
  );
}
