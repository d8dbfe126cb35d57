import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";

const SHOWN_MS = 3000;

/** A command to type in a terminal, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const [state, setState] = useState<"idle" | "copied" | "refused">("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("refused"); // browsers allow it only on secure origins
    }
  }

  return (
    <div className="cmd">
      <span className="cmd-text" dir="ltr">
        {text}
      </span>
      <Button size="small" aria-label={`Copy the command ${text}`} onClick={() => void copy()}>
        {state === "copied" ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        <span aria-live="polite">{{ idle: "Copy", copied: "Copied", refused: "Select and copy it" }[state]}</span>
      </Button>
    </div>
  );
}
