import { Link } from "@tanstack/react-router";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { capitalize } from "../../../ui/format.ts";

type DocumentRef = TaskJson["documents"][number];

/** Which document and which version of it is shown. Not needed for a single one. */
export function DocumentPicker({ task: { id, documents }, chosen }: { task: TaskJson; chosen: DocumentRef }) {
  const kinds = [...new Set(documents.map(({ kind }) => kind))];
  const versions = documents.filter(({ kind }) => kind === chosen.kind);
  if (documents.length < 2) return null;
  const to = { to: "/tasks/$id/$tab", params: { id, tab: "plan" } } as const;
  return (
    <div className="flex wrap picker">
      {kinds.length > 1 && (
        <nav className="seg" aria-label="Documents">
          {kinds.map((kind) => (
            <Link
              key={kind}
              {...to}
              search={{ doc: kind }}
              activeProps={{}}
              aria-current={kind === chosen.kind || undefined}
            >
              {capitalize(kind)}
            </Link>
          ))}
        </nav>
      )}
      {versions.length > 1 && (
        <nav className="seg" aria-label="Versions">
          {versions.map(({ kind, version }) => (
            <Link
              key={version}
              {...to}
              search={{ doc: kind, version: String(version) }}
              activeProps={{}}
              aria-current={version === chosen.version || undefined}
            >
              Version {version}
            </Link>
          ))}
        </nav>
      )}
    </div>
  );
}
