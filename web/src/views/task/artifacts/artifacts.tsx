import { ArrowUpRight } from "lucide-react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import { Empty } from "../../../ui/state.tsx";
import { isWebAddress } from "../task-facts.ts";
import { ArtifactDetail } from "./artifact-detail.tsx";

type Artifact = TaskJson["artifacts"][number];

const TYPES: Readonly<Record<Artifact["type"], string>> = {
  branch: "Branch",
  commit: "Commit",
  diff: "Change",
  change_request: "Change request",
  plan: "Plan",
  design: "Design",
  report: "Report",
  review: "Review",
  file: "File",
};

/** What the task left behind: branches, commits, documents and files. */
export function ArtifactsTab({ task }: { task: TaskJson }) {
  const { artifacts } = task;
  if (artifacts.length === 0)
    return (
      <div className="tab-body">
        <Empty title="No artifact yet">
          Branches, commits, documents and files appear here when a run leaves them.
        </Empty>
      </div>
    );
  return (
    <div className="tab-body">
      <ScrollArea label="Artifacts">
        <table>
          <thead>
            <tr>
              <th>Type</th>
              <th>Name</th>
              <th>Details</th>
            </tr>
          </thead>
          <tbody>
            {artifacts.map((artifact, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- artifacts have no id and are only added
              <tr key={index}>
                <td className="nowrap">{TYPES[artifact.type]}</td>
                <td>
                  <Name artifact={artifact} />
                </td>
                <td>
                  <ArtifactDetail task={task} artifact={artifact} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
    </div>
  );
}

/** Only addresses of the forge are links. Everything else is text. */
function Name({ artifact: { type, label, url } }: { artifact: Artifact }) {
  const isCode = type === "branch" || type === "commit" || type === "file";
  if (type === "change_request" && isWebAddress(url))
    return (
      <a className="link" href={url} rel="noreferrer" target="_blank" dir="auto">
        {label} <ArrowUpRight size={12} aria-hidden style={{ display: "inline" }} />
      </a>
    );
  return (
    <span className={isCode ? "mono words" : "words"} dir="auto">
      {label}
      {url !== null && <span className="hint"> {url}</span>}
    </span>
  );
}
