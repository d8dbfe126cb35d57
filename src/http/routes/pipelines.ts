import { UserError } from "../../core/text/errors.ts";
import type { HttpDeps } from "../deps.ts";
import { viewPipeline } from "../views/pipeline-view.ts";
import type { Handlers } from "./handler.ts";

export function pipelineRoutes({
  store,
  listPipelines,
}: Pick<HttpDeps, "store" | "listPipelines">): Handlers<"GET /pipelines"> {
  return {
    async "GET /pipelines"({ query: { project } }) {
      const all = await store.projects.listProjects();
      const projects = project === undefined ? all : all.filter(({ name }) => name === project);
      if (project !== undefined && projects.length === 0)
        throw new UserError("not_found", `There is no project "${project}".`, "List them with GET /projects.");
      const { pipelines, problems } = await listPipelines(projects);
      return {
        pipelines: pipelines.map(({ pipeline, ...more }) => viewPipeline(pipeline, more)),
        problems: [...problems],
      };
    },
  };
}
