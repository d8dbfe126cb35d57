import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";

export interface FoldProps {
  readonly className: "tool" | "fold";
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  readonly summary: ReactNode;
  /** Built only while it is open. */
  readonly children: () => ReactNode;
}

/** A line that opens. Its state is kept outside, because lines that scroll away are removed. */
export function Fold({ className, isOpen, onToggle, summary, children }: FoldProps) {
  return (
    <details
      className={className}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) onToggle(currentTarget.open);
      }}
    >
      <summary>
        <ChevronRight size={14} className="chev" aria-hidden />
        {summary}
      </summary>
      {isOpen && children()}
    </details>
  );
}
