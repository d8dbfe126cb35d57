import { join } from "node:path";
import { testRequests } from "../../testing/suites/workspace/workspace-request.suite.ts";
import { testPeoplesCommits } from "../../testing/suites/workspace/workspace-people.suite.ts";
import { testTrialMerges } from "../../testing/suites/workspace/workspace-trial-merges.suite.ts";
import { testWorkspaces } from "../../testing/suites/workspace/workspace.suite.ts";
import { createGitWorkspaces } from "./workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

testWorkspaces("git", {
  create: (dir) =>
    createGitWorkspaces({ mirrorsDir: join(dir, "mirrors"), workspacesDir: join(dir, "workspaces"), log }),
});
testPeoplesCommits("git", {
  create: (dir) =>
    createGitWorkspaces({ mirrorsDir: join(dir, "mirrors"), workspacesDir: join(dir, "workspaces"), log }),
});
testRequests("git", {
  create: (dir) =>
    createGitWorkspaces({ mirrorsDir: join(dir, "mirrors"), workspacesDir: join(dir, "workspaces"), log }),
});
testTrialMerges("git", {
  create: (dir) =>
    createGitWorkspaces({ mirrorsDir: join(dir, "mirrors"), workspacesDir: join(dir, "workspaces"), log }),
});
