import { z } from "zod";
import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { costWords, durationWords, wordFor } from "../../../core/notices/notice-message.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";
import type { ChannelContext } from "../definition.ts";
import { call, callOk, toDeliveryError, type ChannelRequest } from "../shared/call.ts";
import { addRow, type Row } from "./confluence-table.ts";
import { readSecret } from "../shared/read-secret.ts";

interface ConfluenceSettings {
  readonly url: string;
  readonly page_id: string;
  readonly user?: string | undefined;
  readonly token_env: string;
}

export interface ConfluenceOptions extends ChannelContext<ConfluenceSettings> {
  /** The project's time zone, used for the date of a row. */
  readonly timeZone: string;
  /** True for Confluence Cloud, whose API differs from Data Center. Derived from the URL by default. */
  readonly cloud?: boolean;
}

const MAX_PAGE_BYTES = 5_000_000;
const CONFLICT = 409;

const pageSchema = z.object({
  type: z.string().default("page"),
  title: z.string(),
  version: z.object({ number: z.number() }),
  body: z.object({ storage: z.object({ value: z.string() }) }),
});
type Page = z.infer<typeof pageSchema>;
type Connection = Pick<ChannelRequest, "headers" | "secrets" | "signal" | "timeoutMs">;

/** Adds a row per night to a table on a page. Best effort: concurrent edits of the page take precedence. */
export function createConfluenceNotifier(options: ConfluenceOptions): Notifier {
  return {
    async send(notice, signal) {
      const connection = createConnection(options, signal);
      if (await writeRow(options, connection, notice)) return;
      // The page was saved between reading and writing, so try once more.
      if (!(await writeRow(options, connection, notice)))
        throw new DeliveryError(`page ${options.settings.page_id} was changed by someone else at the same time`);
    },
  };
}

export function createConnection(
  { settings, env, timeoutMs }: ChannelContext<ConfluenceSettings>,
  signal?: AbortSignal,
): Connection {
  const token = readSecret(env, settings.token_env, "notify.confluence.token_env") ?? "";
  const basic = settings.user === undefined ? null : Buffer.from(`${settings.user}:${token}`).toString("base64");
  return {
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      authorization: basic === null ? `Bearer ${token}` : `Basic ${basic}`,
    },
    secrets: basic === null ? [token] : [token, basic],
    signal,
    timeoutMs,
  };
}

export async function readPage(
  options: Pick<ConfluenceOptions, "settings" | "cloud">,
  connection: Connection,
): Promise<Page> {
  const url = pageUrl(options);
  if (isCloud(options)) url.searchParams.set("body-format", "storage");
  else url.searchParams.set("expand", "body.storage,version");
  const response = await callOk({ ...connection, method: "GET", url, maxBytes: MAX_PAGE_BYTES });
  const pageName = `page ${options.settings.page_id} at ${url.host}`;
  if (!response.isComplete)
    throw new DeliveryError(`${pageName} is larger than ${MAX_PAGE_BYTES / 1e6} MB; use a separate page`);
  try {
    return pageSchema.parse(JSON.parse(response.text));
  } catch {
    throw new DeliveryError(
      `${pageName} cannot be read: the response is not from Confluence; check notify.confluence.url`,
    );
  }
}

/** Returns false if the page was changed in the meantime. */
async function writeRow(options: ConfluenceOptions, connection: Connection, notice: Notice): Promise<boolean> {
  const page = await readPage(options, connection);
  const value = addRow(page.body.storage.value, toRow(notice, options.timeZone));
  if (value === null) return true;
  const request: ChannelRequest = {
    ...connection,
    method: "PUT",
    url: pageUrl(options),
    body: JSON.stringify(buildUpdate(options, page, value)),
  };
  const response = await call(request);
  if (response.status === CONFLICT) return false;
  if (response.status < 200 || response.status >= 300) throw toDeliveryError(request, response);
  return true;
}

function buildUpdate(options: ConfluenceOptions, { type, title, version }: Page, value: string): unknown {
  const nextVersion = { number: version.number + 1, message: "Nightshift run" };
  const base = { id: options.settings.page_id, title, status: "current", version: nextVersion };
  return isCloud(options)
    ? { ...base, body: { representation: "storage", value } }
    : { ...base, type, body: { storage: { representation: "storage", value } } };
}

function pageUrl(options: Pick<ConfluenceOptions, "settings" | "cloud">): URL {
  const { url, page_id: pageId } = options.settings;
  const base = url.replace(/\/+$/, "");
  const id = encodeURIComponent(pageId);
  if (!isCloud(options)) return new URL(`${base}/rest/api/content/${id}`);
  return new URL(`${base.endsWith("/wiki") ? base : `${base}/wiki`}/api/v2/pages/${id}`);
}

function isCloud({ settings, cloud }: Pick<ConfluenceOptions, "settings" | "cloud">): boolean {
  const { hostname } = new URL(settings.url);
  return cloud ?? (hostname.endsWith(".atlassian.net") || hostname === "api.atlassian.com");
}

function toRow({ at, project, data }: Notice, timeZone: string): Row {
  return {
    date: new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(at),
    project,
    category: data.category ?? "–",
    outcome: wordFor(data),
    url: data.url,
    cost: costWords(data.costUsd),
    duration: durationWords(data.durationMs),
  };
}
