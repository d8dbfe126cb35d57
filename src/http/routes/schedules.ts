import { draftNightlyTask } from "../../engine/commands/draft-task.ts";
import type { HttpDeps } from "../deps.ts";
import { showTask } from "../lookup.ts";
import { viewImprovePreview, viewUpcoming } from "../views/night-view.ts";
import type { Handlers } from "./handler.ts";

type ScheduleRoutes = "GET /schedules" | "POST /schedules/:name/run" | "POST /improve/plan";

const DAY_MS = 86_400_000;

export function scheduleRoutes({ commands, night, store, clock }: HttpDeps): Handlers<ScheduleRoutes> {
  return {
    async "GET /schedules"({ query: { project, days } }) {
      const { runs, problems } = await night.upcoming(project ?? null, clock.now() + days * DAY_MS);
      return { runs: runs.map(viewUpcoming), problems: [...problems] };
    },

    async "POST /schedules/:name/run"({ params: { name }, body: { project }, actor, key }) {
      const task = await commands.runSchedule({ project, name, key }, actor);
      return await showTask(store, task, clock.now());
    },

    async "POST /improve/plan"({ body: { project, ...options }, actor }) {
      return viewImprovePreview(await night.preview(draftNightlyTask(project, options), actor));
    },
  };
}
