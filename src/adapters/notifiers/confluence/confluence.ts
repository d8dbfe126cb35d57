import { z } from "zod";
import { DeliveryError } from "../../../core/notices/notice-delivery.ts";
import { costWords, durationWords, wordFor } from "../../../core/notices/notice-message.ts";
import type { Notifier } from "../../../ports/notifier.ts";
import type { Notice } from "../../../ports/store.ts";
import { call, callOk, refusal, type Call } from "../shared/call.ts";
import { addRow, type Row } from "./confluence-table.ts";
import { readSecret, type Environment } from "../shared/read-secret.ts";

interface ConfluenceSettings {
  readonly url: string;
  readonly page_id: string;
  readonly user?: string | undefined;
  readonly token_env: string;
}

export interface ConfluenceOptions {
  readonly settings: ConfluenceSettings;
  /** The project's: a row's date is read by people. */
  readonly timeZone: string;
  readonly env: Environment;
  readonly timeoutMs?: number;
  /** Atlassian's own service, which has another API than what is installed in a company; told by the address. */
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
type Connection = Pick<Call, "headers" | "secrets" | "signal" | "timeoutMs">;

/** A row for each night in a table of one page. Best effort: whoever edits the page at the same moment wins. */
export function createConfluenceNotifier(options: ConfluenceOptions): Notifier {
  return {
    async send(notice, signal) {
      const connection = connect(options, signal);
      if (await writeRow(options, connection, notice)) return;
      // Somebody saved the page between our reading and our writing.
      if (!(await writeRow(options, connection, notice)))
        throw new DeliveryError(`page ${options.settings.page_id} was changed by somebody else at the same moment`);
    },
  };
}

export function connect(
  { settings, env, timeoutMs }: Pick<ConfluenceOptions, "settings" | "env" | "timeoutMs">,
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

export async function readPage(options: Pick<ConfluenceOptions, "settings" | "cloud">, how: Connection): Promise<Page> {
  const url = pageUrl(options);
  if (isCloud(options)) url.searchParams.set("body-format", "storage");
  else url.searchParams.set("expand", "body.storage,version");
  const answer = await callOk({ ...how, method: "GET", url, maxBytes: MAX_PAGE_BYTES });
  const where = `page ${options.settings.page_id} at ${url.host}`;
  if (!answer.whole)
    throw new DeliveryError(`${where} has more than ${MAX_PAGE_BYTES / 1e6} MB: use a page of its own`);
  try {
    return pageSchema.parse(JSON.parse(answer.text));
  } catch {
    throw new DeliveryError(`${where} cannot be read: the answer is none of Confluence's; check notify.confluence.url`);
  }
}

/** False: the page was changed meanwhile. */
async function writeRow(options: ConfluenceOptions, how: Connection, notice: Notice): Promise<boolean> {
  const page = await readPage(options, how);
  const value = addRow(page.body.storage.value, rowOf(notice, options.timeZone));
  if (value === null) return true;
  const asked: Call = {
    ...how,
    method: "PUT",
    url: pageUrl(options),
    body: JSON.stringify(update(options, page, value)),
  };
  const answer = await call(asked);
  if (answer.status === CONFLICT) return false;
  if (answer.status < 200 || answer.status >= 300) throw refusal(asked, answer);
  return true;
}

function update(options: ConfluenceOptions, { type, title, version }: Page, value: string): unknown {
  const next = { number: version.number + 1, message: "a night of Nightshift" };
  const base = { id: options.settings.page_id, title, status: "current", version: next };
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

function rowOf({ at, project, data }: Notice, timeZone: string): Row {
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
