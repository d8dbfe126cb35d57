import type { ImprovePreviewJson } from "../../../../src/http/client/client.ts";
import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { formatCount, formatDuration, formatMoney, plural } from "../../ui/format.ts";
import { Loaded } from "../../ui/state.tsx";

/** What the nightly improvement of a project would do now. Nothing is started. */
export function ImprovePreview({ project }: { project: string }) {
  const preview = useQuery({
    queryKey: ["POST /improve/plan", project],
    queryFn: ({ signal }) => api.call("POST /improve/plan", { body: { project }, signal }),
    meta: { live: false },
    gcTime: 0,
  });
  return (
    <Loaded query={preview} what="The preview">
      {(data) => <Facts preview={data} />}
    </Loaded>
  );
}

function Facts({ preview }: { preview: ImprovePreviewJson }) {
  const { categories, runs, checks, limits, files, budget, publish } = preview;
  return (
    <dl className="kv">
      <dt>Tries</dt>
      <dd>{categories.length === 0 ? "nothing: no category for this day" : categories.join(", ")}</dd>
      <dt>Works with</dt>
      <dd>
        {[...new Set(runs.map(({ agent, model }) => (model === null ? agent : `${agent} ${model}`)))].join(", ")},{" "}
        {[...new Set(runs.map(({ role }) => role))].join(", ")}
      </dd>
      <dt>May change</dt>
      <dd>{describeFiles(files, limits.max_diff_lines)}</dd>
      <dt>Must pass</dt>
      <dd>{checks.length === 0 ? "no checks of the project" : checks.map(({ name }) => name).join(", ")}</dd>
      <dt>Ends as</dt>
      <dd dir="auto">
        {publish.forge === null ? `a branch for ${publish.target}` : `a change request for ${publish.target}`}
        {publish.reviewer !== null && `, reviewed by ${publish.reviewer}`}
      </dd>
      <dt>At most</dt>
      <dd>
        {formatDuration(limits.task_timeout_ms)}
        {budget.task_usd !== null && `, ${formatMoney(budget.task_usd)} for the task`}
        {budget.run_usd !== null && `, ${formatMoney(budget.run_usd)} for a run`}
        {budget.night_usd !== null && `, ${formatMoney(budget.night_usd)} for the night`}
      </dd>
    </dl>
  );
}

function describeFiles(files: ImprovePreviewJson["files"], lines: number): string {
  const size = `at most ${plural(lines, "line")}`;
  if (files === null) return `${size}; the remote cannot be read at the moment`;
  if (files.problem !== null) return files.problem;
  return `${size} in ${formatCount(files.eligible)} of ${plural(files.all, "file")}`;
}
