import type { IncomingMessage, ServerResponse } from "node:http";
import type { Denial } from "../../../ports/sandbox.ts";
import type { ForgeGatewayPlan } from "../../../ports/gateway.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { forgeHeaders, forwardToForge, sendProblem } from "./forward.ts";
import type { TokenMask } from "./mask-token.ts";
import { formatRefusal, MAX_HEAD_BYTES, readPushHead, refusePush } from "./push-commands.ts";
import type { PushHead } from "./push-commands.ts";

export interface GitServerParams {
  readonly plan: ForgeGatewayPlan;
  readonly token: string;
  readonly web: Upstream;
  readonly mask: TokenMask;
  readonly deny: (denial: Pick<Denial, "target" | "sentence">) => void;
}

type GitService = "git-upload-pack" | "git-receive-pack";

/** A request of git's HTTP protocol. */
export interface GitRequest {
  readonly repository: string;
  readonly service: GitService;
  /** The first request of each fetch and push. */
  readonly isInfo: boolean;
}

const INFO = /^\/(.+)\/info\/refs\?service=(git-(?:upload|receive)-pack)$/;
const SERVICE = /^\/(.+)\/(git-(?:upload|receive)-pack)$/;

/** Returns null for requests that are not part of git's protocol. */
export function readGitRequest(method: string, url: string): GitRequest | null {
  const [, path, service] = (method === "GET" ? INFO : method === "POST" ? SERVICE : null)?.exec(url) ?? [];
  if (path === undefined || service === undefined) return null;
  return { repository: path.replace(/\.git$/, ""), service: service as GitService, isInfo: method === "GET" };
}

/** Forwards fetches and pushes of the project. Of pushes, only those to the task's branches. */
export async function serveGit(
  params: GitServerParams,
  git: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { plan, token, web, mask } = params;
  if (git.repository !== plan.project) {
    const sentence = `denied: git access to ${git.repository}; this run can only reach ${plan.project}`;
    params.deny({ target: `git ${git.repository}`, sentence });
    return sendProblem(response, 403, sentence);
  }
  const login = Buffer.from(`${plan.gitUser}:${token}`).toString("base64");
  const encoding = request.headers["content-encoding"];
  const forwarded = {
    upstream: web,
    method: request.method ?? "",
    path: `/${plan.project}.git/${git.isInfo ? `info/refs?service=${git.service}` : git.service}`,
    headers: {
      ...forgeHeaders(request.headers),
      ...(encoding !== undefined && { "content-encoding": encoding }),
      authorization: `Basic ${login}`,
    },
    response,
    mask,
  };
  if (git.isInfo) return forwardToForge({ ...forwarded, body: Buffer.alloc(0), rest: null });
  if (git.service === "git-upload-pack") return forwardToForge({ ...forwarded, body: Buffer.alloc(0), rest: request });
  if (encoding !== undefined) return sendProblem(response, 415, "A push cannot be compressed as a whole.");
  const start = await readStart(request);
  if (start === null) return sendProblem(response, 400, "This is not a push that the forge gateway understands.");
  const reason = refusePush(start.head, plan);
  if (reason === null) return forwardToForge({ ...forwarded, body: start.bytes, rest: request });
  const refs = start.head.commands.map(({ ref }) => ref).join(", ");
  params.deny({ target: `push ${refs}`.slice(0, 200), sentence: `denied: push to ${refs}; ${reason}`.slice(0, 500) });
  request.resume();
  const body = formatRefusal(start.head, reason);
  response.writeHead(200, {
    "content-type": "application/x-git-receive-pack-result",
    "content-length": body.length,
  });
  response.end(body);
}

interface PushStart {
  readonly head: PushHead;
  /** Everything that was read, including the first objects. */
  readonly bytes: Buffer;
}

/** Reads the head of a push and pauses the request. Null if it is invalid or too long. */
async function readStart(request: IncomingMessage): Promise<PushStart | null> {
  const { promise, resolve } = Promise.withResolvers<PushStart | null>();
  let bytes: Buffer = Buffer.alloc(0);
  const stop = (start: PushStart | null): void => {
    request.pause();
    request.off("data", onData);
    resolve(start);
  };
  function onData(chunk: Buffer): void {
    bytes = Buffer.concat([bytes, chunk]);
    const head = readPushHead(bytes);
    if (head === "incomplete" && bytes.length <= MAX_HEAD_BYTES) return;
    stop(typeof head === "string" ? null : { head, bytes });
  }
  request.on("data", onData);
  request.once("end", () => resolve(null));
  request.once("error", () => resolve(null));
  return promise;
}
