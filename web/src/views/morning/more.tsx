import { Link } from "@tanstack/react-router";
import { formatCount } from "../../ui/format.ts";

interface MoreProps {
  readonly total: number;
  readonly shown: number;
  /** Filters of the list of tasks that show all of them. */
  readonly search: Readonly<Record<string, string>>;
}

/** A report lists only the first tasks of a section. */
export function More({ total, shown, search }: MoreProps) {
  if (shown >= total) return null;
  return (
    <p className="more">
      <Link className="link" to="/tasks" search={search}>
        {formatCount(total - shown)} more
      </Link>
    </p>
  );
}
