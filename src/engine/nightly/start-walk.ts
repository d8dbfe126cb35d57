import { categoriesToTry, weekdayAt, type Category, type Weekday } from "../../core/nightly/category.ts";
import { advance, begin, type Advance, type AdvanceParams } from "../../core/pipeline/advance.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { categoriesAt } from "../../core/schedule/schedule.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Items } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { outcomeOf } from "../run/step-context.ts";

interface WalkParams {
  readonly improve: TaskDraft["improve"];
  readonly pipeline: Pipeline;
  readonly settings: Settings;
  readonly at: number;
}

/** The list that an `each` pipeline walks, fixed when the task is made; null for other pipelines. */
export function itemsOf({ improve, pipeline, settings, at }: WalkParams): Items | null {
  const walked = walkedCategories(pipeline, settings, improve?.scheduledAt ?? at);
  if (walked === null) return null;
  const asked = improve?.category ?? null;
  const scheduled = asked === null ? walked : [asked];
  const isWhole = improve?.only === true || (asked === null && pipeline.policy.categories !== null);
  const list = isWhole ? scheduled : categoriesToTry(scheduled);
  return { list, at: 0, scheduled: new Set(scheduled).size, tried: [] };
}

/** The pipeline's own categories, or those of the weekday; null where it walks none. */
export function walkedCategories(pipeline: Pipeline, settings: Settings, at: number): readonly Category[] | null {
  return pipeline.each === null ? null : (pipeline.policy.categories ?? categoriesAt(settings, at));
}

export function dayOf(improve: TaskDraft["improve"], settings: Settings, at: number): Weekday {
  return weekdayAt(improve?.scheduledAt ?? at, settings.timeZone);
}

/** With nothing on its list there is nothing to start. */
export function firstMove(params: AdvanceParams, day: string): Advance {
  const { task, pipeline } = params;
  if (task.items === null || task.items.list.length > 0) return begin(params);
  const outcome = outcomeOf("no_improvement", `no ${pipeline.each ?? "category"} is scheduled for ${day}`);
  return advance({ ...params, outcome });
}
