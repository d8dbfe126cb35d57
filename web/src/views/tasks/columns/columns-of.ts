import type { PipelineJson } from "../../../../../src/http/contract/pipeline.ts";
import { moveToState, moveToStatus, type TaskMove } from "../../../../../src/core/pipeline/task-moves.ts";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { factsOf } from "../../../act/task-facts.ts";
import { type GlyphName, glyphWord } from "../../../ui/glyph.tsx";
import { GROUP_ORDER } from "../list/rows.ts";

/** One column: the tasks with a status, or in a state of one pipeline. */
export interface ColumnOf {
  readonly key: string;
  readonly title: string;
  readonly glyph: GlyphName | null;
  readonly status: TaskStatus | null;
  readonly state: string | null;
  /** What a move of this task to the column would do. Null if it is there already. */
  readonly moveHere: (task: TaskJson) => TaskMove | null;
}

export function columnsByStatus(wanted: readonly TaskStatus[]): readonly ColumnOf[] {
  return GROUP_ORDER.filter((status) => wanted.length === 0 || wanted.includes(status)).map((status) => ({
    key: status,
    title: glyphWord(status),
    glyph: status,
    status,
    state: null,
    moveHere: (task) => moveToStatus(factsOf(task), status),
  }));
}

export function columnsByState({ states, start }: Pick<PipelineJson, "states" | "start">): readonly ColumnOf[] {
  return states.map(({ name, kind, role, end, waits_for: waitsFor }) => ({
    key: name,
    title: name,
    glyph: waitsFor === null ? end : "waiting",
    status: null,
    state: name,
    moveHere: (task) => moveToState(factsOf(task), { name, kind, role, end, isStart: name === start }),
  }));
}
