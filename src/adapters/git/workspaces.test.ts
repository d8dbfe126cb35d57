import { join } from "node:path";
import { testWorkspaces } from "../../testing/suites/workspace.suite.ts";
import { createGitWorkspaces } from "./workspaces.ts";

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

testWorkspaces("git", {
  create: (dir) =>
    createGitWorkspaces({ mirrorsDir: join(dir, "mirrors"), workspacesDir: join(dir, "workspaces"), log }),
});
