import type { AppliedJson } from "../../../../../src/http/client/client.ts";
import { ScrollArea } from "../../../ui/scroll-area.tsx";

/** What would happen to each file, and why some cannot be written. */
export function ApplyTable({ files }: { files: AppliedJson["files"] }) {
  if (files.length === 0) return <p className="muted">There is nothing to write.</p>;
  return (
    <ScrollArea label="Files to write">
      <table>
        <thead>
          <tr>
            <th>File</th>
            <th>Change</th>
            <th>Problem</th>
          </tr>
        </thead>
        <tbody>
          {files.map(({ path, change, problem }) => (
            <tr key={path}>
              <td className="mono words" dir="auto">
                {path}
              </td>
              <td>{change}</td>
              <td className={problem === null ? "faint" : "c-red"} dir="auto">
                {problem ?? "none"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
