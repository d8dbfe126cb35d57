import { checkAgainstGitlab } from "../../testing/forges/gitlab-endpoints.ts";
import { checkAgainstGithub } from "../../testing/forges/openapi-check.ts";
import { testForge } from "../../testing/suites/forge/forge.suite.ts";
import { createForge } from "./create-forge.ts";
import { githubForge } from "./github/definition.ts";
import { gitlabForge } from "./gitlab/definition.ts";

testForge("GitHub", {
  kind: "github",
  create: (options) => createForge(githubForge, options),
  checkRequests: checkAgainstGithub,
});
testForge("GitLab", {
  kind: "gitlab",
  create: (options) => createForge(gitlabForge, options),
  checkRequests: async (requests) => checkAgainstGitlab(requests),
});
