import { Link, useNavigate } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import { type Range, RANGE_WORDS, RANGES } from "./range.ts";

interface FiltersProps {
  readonly range: Range;
  readonly project: string | null;
  readonly search: Readonly<Record<string, string | undefined>>;
}

export function Filters({ range, project, search }: FiltersProps) {
  const navigate = useNavigate();
  const names = useApi("GET /projects").data?.projects.map(({ name }) => name) ?? [];
  // A project of the address that was removed meanwhile can still be shown.
  const all = project === null || names.includes(project) ? names : [...names, project];
  return (
    <span className="end flex wrap">
      <nav className="seg" aria-label="Period">
        {RANGES.map((each) => (
          <Link
            key={each}
            to="/costs"
            search={{ ...search, range: each }}
            replace
            aria-current={each === range ? "true" : undefined}
          >
            {RANGE_WORDS[each]}
          </Link>
        ))}
      </nav>
      <select
        className="in small"
        aria-label="Project"
        value={project ?? ""}
        onChange={({ target }) =>
          void navigate({
            to: "/costs",
            search: { ...search, project: target.value === "" ? undefined : target.value },
            replace: true,
          })
        }
      >
        <option value="">All projects</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
