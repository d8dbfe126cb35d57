import { DeliveryError } from "../../core/notices/notice-delivery.ts";
import { CHANGE_REQUEST, REVIEW_COMMENTS, type NoticeData } from "../../core/notices/notice.ts";
import type { ReviewDraft } from "../../core/forge/review-text.ts";
import { newEvent } from "../../core/task/event.ts";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import type { Task } from "../../core/task/task.ts";
import type { Forge } from "../../ports/forge.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { NewNotice, Notice } from "../../ports/store.ts";
import type { ChannelAccess, EnginePorts } from "../ports.ts";

type ForgePorts = Pick<EnginePorts, "store" | "clock" | "projects" | "forges">;

/**
 * The outbox entry that closes the change request of a rejected task. It is written together with the rejection, so that it
 * survives a crash, and is tried again while the forge cannot be reached.
 */
export function closeNotice(
  { id, project, title }: Task,
  { comment, data, at }: { readonly comment: string; readonly data: NoticeData; readonly at: number },
): NewNotice {
  return { channel: CHANGE_REQUEST, kind: "finished", project, task: id, title, text: comment, data, at };
}

/**
 * The outbox entry that posts a person's review comments on the change request. It is written together with the decision, and
 * the forge finds a review that was posted before.
 */
export function commentsNotice(
  { id, project, title }: Task,
  { review, data, at }: { readonly review: ReviewDraft; readonly data: NoticeData; readonly at: number },
): NewNotice {
  const notice = { channel: REVIEW_COMMENTS, kind: "finished", project, task: id, title, at } as const;
  return { ...notice, text: review.body, data: { ...data, review } };
}

/** Adds the channels that act on change requests to the project's own channels. */
export function withForgeChannels(ports: ForgePorts & { readonly channels: Pick<ChannelAccess, "openNotifier"> }) {
  const own: Readonly<Record<string, Notifier>> = {
    [CHANGE_REQUEST]: { send: (notice) => actOnRequest(ports, notice, closeRequest) },
    [REVIEW_COMMENTS]: { send: (notice) => actOnRequest(ports, notice, postComments) },
  };
  return {
    openNotifier: async (project: string, channel: string): Promise<Notifier | null> =>
      own[channel] ?? ports.channels.openNotifier(project, channel),
  };
}

interface OpenRequest {
  readonly forge: Forge;
  readonly task: string;
  readonly number: number;
  readonly url: string;
}

type Act = (ports: ForgePorts, request: OpenRequest, notice: Notice) => Promise<void>;

async function closeRequest({ store, clock }: ForgePorts, request: OpenRequest, { text }: Notice): Promise<void> {
  const { forge, task, number, url } = request;
  const state = await forge.close(number, text);
  await store.events.appendEvents([
    newEvent({
      at: clock.now(),
      task,
      type: state === "merged" ? "request.merged" : "request.closed",
      summary: state === "merged" ? `${url} was merged before it could be closed` : `${url} was closed`,
      data: { number, url },
    }),
  ]);
}

async function postComments(_ports: ForgePorts, { forge, number }: OpenRequest, { data }: Notice): Promise<void> {
  if (data.review !== undefined) await forge.postReview(number, data.review);
}

async function actOnRequest(ports: ForgePorts, notice: Notice, act: Act): Promise<void> {
  const { store, clock, projects, forges } = ports;
  const { task, project: name } = notice;
  if (task === null) return;
  const request = (await store.tasks.listChangeRequests([task])).get(task);
  const project = await store.projects.getProject(name);
  if (request === undefined || project === null || request.state !== "open") return;
  const { number, url } = request;
  const forge = forges.open(project, await projects.lastGood(project));
  if (forge === null) throw new UserError("conflict", "The project has no forge any more.");
  try {
    await act(ports, { forge, task, number, url }, notice);
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (error.trouble === "missing") return;
    const waitMs = error.retryAt === null ? null : Math.max(0, error.retryAt - clock.now());
    throw new DeliveryError(error.message, waitMs);
  }
}
