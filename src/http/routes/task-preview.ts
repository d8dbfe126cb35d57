import { UserError } from "../../core/text/errors.ts";
import type { DraftProblem } from "../../engine/commands/preview-draft.ts";
import type { HttpDeps } from "../deps.ts";
import { findTaskIds } from "../lookup.ts";
import { viewTaskPreview } from "../views/task-preview-view.ts";
import type { Handlers } from "./handler.ts";
import { toDraft } from "./to-draft.ts";

export function taskPreviewRoutes({
  store,
  previewDraft,
}: Pick<HttpDeps, "store" | "previewDraft">): Handlers<"POST /tasks/preview"> {
  return {
    async "POST /tasks/preview"({ body, actor }) {
      const after = await findIds(store, "after", body.after);
      const related = await findIds(store, "related", body.related === null ? [] : [body.related]);
      const draft = await toDraft(store, { ...body, after: [...after.ids], related: related.ids[0] ?? null });
      const preview = await previewDraft({ ...draft, key: null }, actor);
      return viewTaskPreview({ ...preview, problems: [...preview.problems, ...after.problems, ...related.problems] });
    },
  };
}

interface FoundIds {
  readonly ids: readonly string[];
  readonly problems: readonly DraftProblem[];
}

/** A preview reports unknown tasks together with its other problems. */
async function findIds(store: HttpDeps["store"], key: string, given: readonly string[]): Promise<FoundIds> {
  try {
    return { ids: await findTaskIds(store, given), problems: [] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ids: [], problems: [{ key, message: error.message }] };
  }
}
