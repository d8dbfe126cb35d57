import {
  jsonResponse,
  openLoopback,
  type LoopbackResponse,
  type LoopbackRequest,
  type LoopbackServer,
} from "./loopback-server.ts";

export interface WikiPage {
  readonly title: string;
  readonly version: number;
  readonly body: string;
}

/** A fake wiki with one page, with the APIs of Confluence Cloud and Data Center. */
export interface LoopbackConfluence extends LoopbackServer {
  page(): WikiPage;
  /** Simulates another user who saves the page right before the next write. */
  editBeforeWrite(body: string): void;
}

export interface ConfluenceParams {
  readonly pageId: string;
  readonly body: string;
  /** The expected Authorization header. */
  readonly authorization: string;
  readonly cloud?: boolean;
}

export async function openLoopbackConfluence(params: ConfluenceParams): Promise<LoopbackConfluence> {
  let page: WikiPage = { title: "Nights & days", version: 7, body: params.body };
  const edits: string[] = [];
  const { pageId, authorization, cloud = false } = params;
  const path = cloud ? `/wiki/api/v2/pages/${pageId}` : `/rest/api/content/${pageId}`;
  const query = cloud ? "?body-format=storage" : "?expand=body.storage%2Cversion";

  function respond(request: LoopbackRequest): LoopbackResponse {
    if (request.headers.authorization !== authorization) return jsonResponse(401, { message: "Unauthorized" });
    if (request.method === "GET" && request.path === path + query) return jsonResponse(200, read());
    if (request.method === "PUT" && request.path === path) return write(request.body);
    return jsonResponse(404, { message: `No content found with id: ${request.path}` });
  }

  function read(): unknown {
    const body = { storage: { value: page.body, representation: "storage" } };
    return { id: pageId, type: "page", status: "current", title: page.title, version: { number: page.version }, body };
  }

  function write(text: string): LoopbackResponse {
    const edit = edits.shift();
    if (edit !== undefined) page = { ...page, version: page.version + 1, body: edit };
    const sent = JSON.parse(text) as PageUpdate; // invalid JSON fails the test
    const storage = cloud ? sent.body : sent.body.storage;
    if (
      sent.id !== pageId ||
      sent.title !== page.title ||
      sent.status !== "current" ||
      storage?.representation !== "storage"
    )
      return jsonResponse(400, { message: "incomplete" });
    if (!cloud && sent.type !== "page") return jsonResponse(400, { message: "type missing" });
    if (sent.version.number !== page.version + 1) return jsonResponse(409, { message: "Version must be incremented" });
    page = { ...page, version: sent.version.number, body: storage.value ?? "" };
    return jsonResponse(200, read());
  }

  const server = await openLoopback(respond);
  return { ...server, page: () => page, editBeforeWrite: (body) => void edits.push(body) };
}

interface PageUpdate {
  readonly id: string;
  readonly type?: string;
  readonly status: string;
  readonly title: string;
  readonly version: { readonly number: number };
  readonly body: Storage & { readonly storage?: Storage };
}

interface Storage {
  readonly value?: string;
  readonly representation?: string;
}
