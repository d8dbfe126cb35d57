import { expect } from "vitest";
import { describeGranted } from "../../src/cli/print/access.ts";
import type { Task } from "../../src/core/task/task.ts";
import { viewEvent } from "../../src/http/views/views.ts";
import { HAPPY, type Nightly } from "./nightly.ts";

export const BRANCH = "night-shift/say-more";

/** Does what the forge's CLI would do, in shell. The prompt contains branch and commit. */
const TOOLS = `
PLACE=$(dirname "$0")
said() { printf '%s\\n' "$PROMPT" | sed -n "s/^$1: //p" | head -n 1; }
push() { git push --quiet origin "\${1:-HEAD}:refs/heads/$(said branch)"; }
open_gitlab() { curl -sS -X POST -H "Authorization: Bearer $GITLAB_TOKEN" -H 'content-type: application/json' "$GITLAB_HOST/api/v4/projects/team%2Fshop/merge_requests" -d '{"source_branch":"'"$(said branch)"'","target_branch":"'"\${1:-main}"'","title":"by hand"}' | grep -o '"web_url":"[^"]*/merge_requests/[^"]*"' | head -n 1 | cut -d'"' -f4; }
open_github() { curl -sS -X POST -H "Authorization: Bearer $GH_ENTERPRISE_TOKEN" -H 'content-type: application/json' "http://$GH_HOST/api/v3/repos/team/shop/pulls" -d '{"head":"'"$(said branch)"'","base":"main","title":"by hand","body":"b"}' | grep -o '"html_url":"[^"]*/pull/[^"]*"' | head -n 1 | cut -d'"' -f4; }
# A quick action in the text: what was opened is closed at once.
open_closed() { curl -sS -X POST -H "Authorization: Bearer $GITLAB_TOKEN" -H 'content-type: application/json' "$GITLAB_HOST/api/v4/projects/team%2Fshop/merge_requests" -d '{"source_branch":"'"$(said branch)"'","target_branch":"main","title":"by hand","description":"/close"}' | grep -o '"web_url":"[^"]*/merge_requests/[^"]*"' | head -n 1 | cut -d'"' -f4; }
commit_more() { echo stolen >> other.txt; git -c user.name=x -c user.email=x@x commit --quiet -am more; }
wait_for() { touch "$PLACE/$1"; while [ ! -e "$PLACE/$1-goes-on" ]; do sleep 0.1; done; }
opened() { report '{"outcome":"opened","summary":"it is open","url":"'"$1"'"}'; }
# Only whether: what the test looks for must not come from the test.
holds() { if env | grep -q 'planted-[t]oken'; then echo yes; else echo no; fi; }
echo "$ROLE $(holds)" >> "$PLACE/holders"
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep 'planted-[t]oken' >> "$PLACE/arguments"
`;

export const publishing = (script: string): string =>
  `${TOOLS}\nif [ "$ROLE" = publish ]; then\n${script}\nexit 0\nfi\n${HAPPY}`;

/** Returns what `nightshift show` prints about credentials that the task's runs got. */
export async function grantedTo(night: Nightly, task: Pick<Task, "id">): Promise<string> {
  const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
  return describeGranted(events.map(viewEvent));
}

export async function expectNotPublished(night: Nightly, task: Pick<Task, "id">): Promise<void> {
  const artifacts = await night.wired.ports.store.tasks.listArtifacts(task.id);
  expect(artifacts.filter(({ type }) => type === "change_request")).toEqual([]);
  const query = { project: "shop", statuses: null, limit: 10 };
  const proposals = await night.wired.ports.store.ledger.listProposals(query);
  expect(proposals.filter(({ url, status }) => url !== null || status === "published")).toEqual([]);
  expect((await night.runs(task.id)).filter(({ outcome }) => outcome === "published")).toEqual([]);
}
