import type { ReactNode } from "react";

interface ScrollAreaProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Wide content, such as a table, that scrolls by itself. People without a mouse scroll it with the arrow keys. */
export function ScrollArea({ label, className, children }: ScrollAreaProps) {
  return (
    <div
      className={className === undefined ? "scroll" : `scroll ${className}`}
      role="region"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard has to reach what is cut off
      tabIndex={0}
    >
      {children}
    </div>
  );
}
