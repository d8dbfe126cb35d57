import { ShieldAlert } from "lucide-react";
import type { PendingTrustJson, ProjectJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { plural } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Banner, ErrorBanner } from "../../ui/state.tsx";
import { showToast } from "../../ui/toast.tsx";

/** The permissions that the project's files request beyond what a person accepted. */
export function TrustBanner({ project }: { project: ProjectJson }) {
  const pending = useApi("GET /projects/:name/trust", { params: { name: project.name } });
  if (pending.error !== null)
    return (
      <ErrorBanner
        title="The files of the project could not be read."
        error={pending.error}
        retry={() => void pending.refetch()}
      />
    );
  if (pending.data === undefined || pending.data.changes.length === 0) return null;
  return (
    <Banner kind="amber" icon={<ShieldAlert size={16} aria-hidden />}>
      <h2 className="strong inline-head">The project’s files request more than was accepted.</h2> Until someone accepts,
      the old values apply.
      <Changes changes={pending.data.changes} />
      <Accept project={project} pending={pending.data} />
    </Banner>
  );
}

function Changes({ changes }: { changes: PendingTrustJson["changes"] }) {
  return (
    <ScrollArea label="Requested permissions" className="trust">
      <table className="cards-sm">
        <thead>
          <tr>
            <th>Key</th>
            <th>Accepted</th>
            <th>Wanted</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ key, accepted, wanted }) => (
            <tr key={key}>
              <td className="w2">
                <code>{key}</code>
              </td>
              <td className="muted w2 break" data-l="accepted" dir="ltr">
                {accepted ?? "nothing"}
              </td>
              <td className="w2 break" data-l="wanted" dir="ltr">
                <b className="strong">{wanted ?? "nothing"}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

/** Accepts exactly what is shown: the hash of other values would be refused. */
function Accept({ project, pending }: { project: ProjectJson; pending: PendingTrustJson }) {
  const accept = useAction("POST /projects");
  const refusal = useRefusal("admin", "Accepting permissions");
  const source = project.path === null ? { url: project.remote } : { path: project.path };
  const run = async (): Promise<void> => {
    if ((await accept.run({ body: { ...source, accept: pending.hash } })) !== null)
      showToast(`${project.name} may do what it requested.`);
  };
  return (
    <>
      <p className="flex wrap try-now">
        <Button kind="primary" size="small" isBusy={accept.isBusy} refusal={refusal} onClick={() => void run()}>
          {pending.changes.length === 1 ? "Accept this" : `Accept these ${pending.changes.length}`}
        </Button>
        <span className="hint">
          {plural(pending.changes.length, "change")}, hash <code className="break">{pending.hash.slice(0, 12)}</code>
        </span>
      </p>
      {accept.error !== null && <ErrorBanner title="Nothing was accepted." error={accept.error} />}
    </>
  );
}
