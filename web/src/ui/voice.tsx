import type { ReactNode } from "react";

/** What an agent or a person wrote, ruled off and signed, so that it is not taken for a fact of the engine. */
export function Voice({ by, children }: { by: string; children: ReactNode }) {
  return (
    <div className="voice">
      <span className="by" dir="auto">
        {by}
      </span>
      {children}
    </div>
  );
}
