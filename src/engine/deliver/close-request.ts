import { DeliveryError } from "../../core/notices/notice-delivery.ts";
import { CHANGE_REQUEST, type NoticeData } from "../../core/notices/notice.ts";
import { newEvent } from "../../core/task/event.ts";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import type { Task } from "../../core/task/task.ts";
import type { Notifier } from "../../ports/notifier.ts";
import type { NewNotice, Notice } from "../../ports/store.ts";
import type { ChannelAccess, EnginePorts } from "../ports.ts";

type ClosePorts = Pick<EnginePorts, "store" | "clock" | "projects" | "forges">;

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

/** Adds the channel that closes change requests to the project's own channels. */
export function withClosing(ports: ClosePorts & { readonly channels: Pick<ChannelAccess, "openNotifier"> }) {
  const closer: Notifier = { send: (notice) => closeRequest(ports, notice) };
  return {
    openNotifier: async (project: string, channel: string): Promise<Notifier | null> =>
      channel === CHANGE_REQUEST ? closer : ports.channels.openNotifier(project, channel),
  };
}

async function closeRequest({ store, clock, projects, forges }: ClosePorts, notice: Notice): Promise<void> {
  const { task, project: name, text } = notice;
  if (task === null) return;
  const request = (await store.tasks.listChangeRequests([task])).get(task);
  const project = await store.projects.getProject(name);
  if (request === undefined || project === null || request.state !== "open") return;
  const { number, url } = request;
  const forge = forges.open(project, await projects.lastGood(project));
  if (forge === null) throw new UserError("conflict", "The project has no forge any more.");
  try {
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
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (error.trouble === "missing") return;
    const waitMs = error.retryAt === null ? null : Math.max(0, error.retryAt - clock.now());
    throw new DeliveryError(error.message, waitMs);
  }
}
