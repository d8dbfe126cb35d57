import { categoriesToTry, weekdayAt, type Category, type Weekday } from "../../core/nightly/category.ts";
import { advance, begin, type Advance, type AdvanceParams } from "../../core/pipeline/advance/advance.ts";
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

/** The list that an `each` pipeline walks, fixed when the task is created. Null for other pipelines. */
export function buildItems({ improve, pipeline, settings, at }: WalkParams): Items | null {
  const defaults = walkedCategories(pipeline, settings, improve?.scheduledAt ?? at);
  if (defaults === null) return null;
  const category = improve?.category ?? null;
  const scheduled = category === null ? defaults : [category];
  const isComplete = improve?.only === true || (category === null && pipeline.policy.categories !== null);
  const list = isComplete ? scheduled : categoriesToTry(scheduled);
  return { list, at: 0, scheduled: new Set(scheduled).size, tried: [] };
}

/** The pipeline's own categories, or those of the weekday. Null if the pipeline walks no list. */
export function walkedCategories(pipeline: Pipeline, settings: Settings, at: number): readonly Category[] | null {
  return pipeline.each === null ? null : (pipeline.policy.categories ?? categoriesAt(settings, at));
}

export function weekdayOf(improve: TaskDraft["improve"], settings: Settings, at: number): Weekday {
  return weekdayAt(improve?.scheduledAt ?? at, settings.timeZone);
}

/** Starts the pipeline, or ends the task at once if its list is empty. */
export function startPipeline(params: AdvanceParams, day: string): Advance {
  const { task, pipeline } = params;
  if (task.items === null || task.items.list.length > 0) return begin(params);
  const outcome = outcomeOf("no_improvement", `no ${pipeline.each ?? "category"} is scheduled for ${day}`);
  return advance({ ...params, outcome });
}
