import { useApi } from "../../api/queries.ts";
import { Glyph } from "../../ui/glyph.tsx";
import { Time } from "../../ui/time.tsx";

/** Scheduled work of the last night that started late or not at all. */
export function Missed() {
  const missed = useApi("GET /report").data?.missed ?? [];
  if (missed.length === 0) return null;
  return (
    <section className="roles" aria-labelledby="missed">
      <h2 id="missed">Did not run as planned, last night</h2>
      <ul className="stack">
        {missed.map(({ at, text }) => (
          <li className="flex" key={`${at} ${text}`}>
            <Glyph name="skipped" />
            <span className="faint nowrap">
              <Time at={at} />
            </span>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
