import {
  jsonResponse,
  openLoopback,
  type LoopbackResponse,
  type LoopbackRequest,
  type LoopbackServer,
} from "./loopback-server.ts";

export interface NtfyMessage {
  readonly topic: string;
  readonly title?: string;
  readonly message?: string;
  readonly tags?: readonly string[];
  readonly priority?: number;
  readonly click?: string;
  readonly actions?: readonly { readonly action: string; readonly label: string; readonly url: string }[];
}

/** A fake ntfy server that shows the same messages as the real one (docs.ntfy.sh/publish). */
export interface LoopbackNtfy extends LoopbackServer {
  readonly shown: readonly NtfyMessage[];
}

const TOPIC = /^[-_A-Za-z0-9]{1,64}$/;
const MAX_ACTIONS = 3;
const MAX_BYTES = 4_096;

export async function openLoopbackNtfy({
  token = null,
}: { readonly token?: string | null } = {}): Promise<LoopbackNtfy> {
  const shown: NtfyMessage[] = [];
  const server = await openLoopback((request) => respond(request, token, shown));
  return { ...server, shown };
}

function respond(request: LoopbackRequest, token: string | null, shown: NtfyMessage[]): LoopbackResponse {
  const { method, path, headers, body } = request;
  if (method === "GET" && path === "/v1/health") return jsonResponse(200, { healthy: true });
  if (method !== "POST" && method !== "PUT") return errorResponse(404, 40401, "page not found");
  if (token !== null && headers.authorization !== `Bearer ${token}`) return errorResponse(401, 40101, "unauthorized");
  // Under a topic's own URL, the whole body is the message.
  if (path !== "/") return show(shown, { topic: path.slice(1), message: body });
  const message = parse(body);
  if (message === null) return errorResponse(400, 40024, "invalid request: request body must be message JSON");
  const { topic, priority = 3, actions = [], message: text = "triggered" } = message;
  if (typeof topic !== "string" || !TOPIC.test(topic))
    return errorResponse(400, 40009, "invalid request: topic invalid");
  if (![1, 2, 3, 4, 5].includes(priority)) return errorResponse(400, 40007, "invalid priority parameter");
  if (actions.length > MAX_ACTIONS || actions.some(({ action, label, url }) => action !== "view" || !label || !url))
    return errorResponse(400, 40018, "invalid request: actions invalid");
  if (Buffer.byteLength(text) > MAX_BYTES)
    return show(shown, { topic, message: "You received a file: attachment.txt" });
  return show(shown, message);
}

function parse(body: string): NtfyMessage | null {
  try {
    return JSON.parse(body) as NtfyMessage; // fields are validated by the caller
  } catch {
    return null;
  }
}

function show(shown: NtfyMessage[], message: NtfyMessage): LoopbackResponse {
  shown.push(message);
  return jsonResponse(200, { id: `m${shown.length}`, event: "message", ...message });
}

function errorResponse(status: number, code: number, error: string): LoopbackResponse {
  return jsonResponse(status, { code, http: status, error, link: "https://ntfy.sh/docs/publish/" });
}
