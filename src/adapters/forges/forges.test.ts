import { checkAgainstGitlab } from "../../testing/forges/gitlab-endpoints.ts";
import { checkAgainstGithub } from "../../testing/forges/openapi-check.ts";
import { testForge } from "../../testing/suites/forge.suite.ts";
import { createForge } from "./index.ts";

testForge("GitHub", { kind: "github", create: createForge, checkRequests: checkAgainstGithub });
testForge("GitLab", {
  kind: "gitlab",
  create: createForge,
  checkRequests: async (requests) => checkAgainstGitlab(requests),
});
