import { expect } from "vitest";
import { describeGranted } from "../../src/cli/print/access.ts";
import type { Task } from "../../src/core/task/task.ts";
import { viewEvent } from "../../src/http/views/views.ts";
import { SUCCESSFUL_AGENT, type Nightly } from "./nightly.ts";

export const BRANCH = "night-shift/say-more";

/** Shell functions that replace the CLI of the forge. The prompt contains branch and commit. */
const SHELL_FUNCTIONS = `
PLACE=$(dirname "$0")
from_prompt() { printf '%s\\n' "$PROMPT" | sed -n "s/^$1: //p" | head -n 1; }
push() { git push --quiet origin "\${1:-HEAD}:refs/heads/$(from_prompt branch)"; }
open_gitlab() { curl -sS -X POST -H "Authorization: Bearer $GITLAB_TOKEN" -H 'content-type: application/json' "$GITLAB_HOST/api/v4/projects/team%2Fshop/merge_requests" -d '{"source_branch":"'"$(from_prompt branch)"'","target_branch":"'"\${1:-main}"'","title":"by hand"}' | grep -o '"web_url":"[^"]*/merge_requests/[^"]*"' | head -n 1 | cut -d'"' -f4; }
open_github() { curl -sS -X POST -H "Authorization: Bearer $GH_ENTERPRISE_TOKEN" -H 'content-type: application/json' "http://$GH_HOST/api/v3/repos/team/shop/pulls" -d '{"head":"'"$(from_prompt branch)"'","base":"main","title":"by hand","body":"b"}' | grep -o '"html_url":"[^"]*/pull/[^"]*"' | head -n 1 | cut -d'"' -f4; }
# The quick action in the description closes the merge request immediately.
open_closed() { curl -sS -X POST -H "Authorization: Bearer $GITLAB_TOKEN" -H 'content-type: application/json' "$GITLAB_HOST/api/v4/projects/team%2Fshop/merge_requests" -d '{"source_branch":"'"$(from_prompt branch)"'","target_branch":"main","title":"by hand","description":"/close"}' | grep -o '"web_url":"[^"]*/merge_requests/[^"]*"' | head -n 1 | cut -d'"' -f4; }
commit_more() { echo stolen >> other.txt; git -c user.name=x -c user.email=x@x commit --quiet -am more; }
wait_for() { touch "$PLACE/$1"; while [ ! -e "$PLACE/$1-continue" ]; do sleep 0.1; done; }
opened() { report '{"outcome":"opened","summary":"it is open","url":"'"$1"'"}'; }
# Prints only yes or no, because the output must not contain the token.
holds() { if env | grep -q 'planted-[t]oken'; then echo yes; else echo no; fi; }
echo "$ROLE $(holds)" >> "$PLACE/holders"
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep 'planted-[t]oken' >> "$PLACE/arguments"
`;

export const publishingAgent = (script: string): string =>
  `${SHELL_FUNCTIONS}\nif [ "$ROLE" = publish ]; then\n${script}\nexit 0\nfi\n${SUCCESSFUL_AGENT}`;

/** Returns what `nightshift show` prints about credentials that the task's runs got. */
export async function printGranted(night: Nightly, task: Pick<Task, "id">): Promise<string> {
  const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
  return describeGranted({ color: false }, { runs: [] }, events.map(viewEvent));
}

export async function expectNotPublished(night: Nightly, task: Pick<Task, "id">): Promise<void> {
  const artifacts = await night.wired.ports.store.tasks.listArtifacts(task.id);
  expect(artifacts.filter(({ type }) => type === "change_request")).toEqual([]);
  const query = { project: "shop", statuses: null, limit: 10 };
  const proposals = await night.wired.ports.store.ledger.listProposals(query);
  expect(proposals.filter(({ url, status }) => url !== null || status === "published")).toEqual([]);
  expect((await night.runs(task.id)).filter(({ outcome }) => outcome === "published")).toEqual([]);
}
