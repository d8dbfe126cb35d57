import { useSearch } from "@tanstack/react-router";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { Empty } from "../../../ui/state.tsx";
import { DocumentView } from "./document-view.tsx";
import { DocumentPicker } from "./document-picker.tsx";

interface PlanTabProps {
  readonly task: TaskJson;
  readonly events: readonly EventJson[];
}

/** The documents that agents wrote: plans, designs, reports and reviews, with every version. */
export function PlanTab({ task, events }: PlanTabProps) {
  const { doc, version } = useSearch({ strict: false });
  const { documents } = task;
  const newest = documents.findLast(({ kind }) => doc === undefined || kind === doc) ?? documents.at(-1);
  const chosen =
    documents.find((each) => each.kind === newest?.kind && String(each.version) === version) ?? newest ?? null;
  if (chosen === null)
    return (
      <Empty title="No document yet">
        Agents that plan, design or investigate write one. This task has a plan only if its pipeline asks for it.
      </Empty>
    );
  return (
    <>
      <DocumentPicker task={task} chosen={chosen} />
      <DocumentView key={chosen.hash} {...{ task, events }} document={chosen} />
    </>
  );
}
