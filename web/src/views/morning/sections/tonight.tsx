import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useApi } from "../../../api/queries.ts";
import { Key } from "../../../ui/button.tsx";
import { Section } from "../../../ui/section.tsx";
import { Time } from "../../../ui/time.tsx";

/** What comes next, when nothing runs or is queued. */
export function TonightSection() {
  const runs =
    useApi("GET /schedules")
      .data?.runs.filter(({ at }) => at !== null)
      .slice(0, 3) ?? [];
  return (
    <Section title="Tonight">
      <p className="muted">
        No task is queued.{" "}
        {runs.length === 0
          ? "No schedule is due."
          : runs.map(({ name, project, at }, index) => (
              <span key={`${project} ${name}`}>
                {index > 0 && ", "}
                <code>{name}</code> of <span dir="auto">{project}</span> is due {at !== null && <Time at={at} />}
                {index === runs.length - 1 && "."}
              </span>
            ))}
      </p>
      <p className="more">
        <Link className="btn" to="/new">
          <Plus size={14} aria-hidden />
          New task <Key>C</Key>
        </Link>
      </p>
    </Section>
  );
}
