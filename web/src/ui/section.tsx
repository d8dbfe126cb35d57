import { type ReactNode, useId } from "react";

export interface SectionProps {
  /** Makes the section a target of links. */
  readonly anchor?: string;
  readonly title: string;
  readonly count?: number;
  readonly hint?: ReactNode;
  /** A person has to act here. */
  readonly isYours?: boolean;
  readonly children: ReactNode;
}

/** A name in the margin and rows beside it. */
export function Section({ anchor, title, count, hint, isYours = false, children }: SectionProps) {
  const id = useId();
  return (
    <section className="sec" id={anchor} aria-labelledby={id}>
      <header className={isYours ? "you" : undefined}>
        <h2 id={id}>
          {title}
          {count !== undefined && <span className="n"> {count}</span>}
        </h2>
        {hint !== undefined && <p>{hint}</p>}
      </header>
      <div className="rows">{children}</div>
    </section>
  );
}
