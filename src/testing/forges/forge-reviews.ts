import { readAddedLines } from "../../core/change/added-lines.ts";
import { git } from "../temp-repo.ts";
import { text, type ApiRequest, type ApiResponse } from "./fake-api.ts";
import { addComment, refreshHead } from "./forge-world.ts";
import type { FakeChangeRequest, ForgeWorld } from "./forge-world.ts";

interface FakeDraft {
  readonly note: string;
  readonly file: string | null;
  readonly line: number | null;
}

const drafts = new WeakMap<FakeChangeRequest, FakeDraft[]>();

/** Unpublished notes of a merge request, which only their author sees. */
export function draftsOf(changeRequest: FakeChangeRequest): FakeDraft[] {
  const found = drafts.get(changeRequest) ?? [];
  drafts.set(changeRequest, found);
  return found;
}

export async function diffRefs(world: ForgeWorld, changeRequest: FakeChangeRequest) {
  await refreshHead(world, changeRequest);
  const { target, headCommit } = changeRequest;
  const base = await git(world.bareDir, "merge-base", `refs/heads/${target}`, headCommit).catch(() => "");
  return base === "" ? null : { base_sha: base, start_sha: base, head_sha: headCommit };
}

/** Both forges accept comments only on lines of the diff. */
async function isInDiff(world: ForgeWorld, changeRequest: FakeChangeRequest, place: FakeDraft): Promise<boolean> {
  const refs = await diffRefs(world, changeRequest);
  if (refs === null || place.file === null || place.line === null) return false;
  const patch = await git(world.bareDir, "diff", refs.base_sha, refs.head_sha);
  return readAddedLines(patch).get(place.file)?.has(place.line) === true;
}

/** `POST /pulls/:n/reviews` of GitHub, which refuses the whole review if one comment is not in the diff. */
export async function reviewAsRequested(
  world: ForgeWorld,
  { body }: ApiRequest,
  changeRequest: FakeChangeRequest,
): Promise<ApiResponse> {
  const comments = Array.isArray(body["comments"]) ? (body["comments"] as Readonly<Record<string, unknown>>[]) : [];
  if (body["event"] !== "COMMENT")
    return { status: 422, body: { message: "Review Can not approve your own pull request" } };
  const places = comments.map((each) => ({
    note: text(each["body"]),
    file: text(each["path"]),
    line: Number(each["line"]),
  }));
  for (const place of places)
    if (!(await isInDiff(world, changeRequest, place)))
      return { status: 422, body: { message: "Unprocessable Entity", errors: ["Line could not be resolved"] } };
  const review = addComment(changeRequest, { author: "nightshift", body: text(body["body"]), kind: "review" });
  for (const { note, file, line } of places)
    addComment(changeRequest, { author: "nightshift", body: note, file, line });
  return { status: 200, body: { id: review.id, body: review.body, state: "COMMENTED" } };
}

/** The draft notes of GitLab. Null: the request is about something else. */
export async function handleDraftNotes(
  world: ForgeWorld,
  request: ApiRequest,
  { changeRequest, key }: { readonly changeRequest: FakeChangeRequest; readonly key: string },
): Promise<ApiResponse | null> {
  const own = draftsOf(changeRequest);
  if (key === "GET /merge_requests/:n/draft_notes")
    return { status: 200, body: own.map(({ note }, index) => ({ id: index + 1, note })) };
  if (key === "POST /merge_requests/:n/draft_notes/bulk_publish") {
    for (const { note, file, line } of own.splice(0))
      addComment(changeRequest, { author: "nightshift", body: note, file, line });
    return { status: 204, body: null };
  }
  if (key !== "POST /merge_requests/:n/draft_notes") return null;
  const { note, position } = request.body;
  const at = position === undefined ? null : (position as Readonly<Record<string, unknown>>);
  const draft = {
    note: text(note),
    file: at === null ? null : text(at["new_path"]),
    line: at === null ? null : Number(at["new_line"]),
  };
  if (at !== null && !(await isInDiff(world, changeRequest, draft)))
    return { status: 400, body: { message: '400 Bad request - Note {:line_code=>["can\'t be blank"]}' } };
  own.push(draft);
  return { status: 201, body: { id: own.length, note: draft.note } };
}
