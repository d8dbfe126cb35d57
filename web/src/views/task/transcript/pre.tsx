import type { ReactNode } from "react";

/** Text that can be wider than the page. Scrolling by keyboard needs the focus. */
export function Pre({ label, children }: { label: string; children: ReactNode }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways
    <pre className="ansi" tabIndex={0} role="region" aria-label={label} dir="ltr">
      {children}
    </pre>
  );
}
