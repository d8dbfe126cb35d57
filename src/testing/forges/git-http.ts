import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";

export interface GitRequest {
  readonly bareDir: string;
  /** Path below the repository: `/info/refs`, `/git-receive-pack`. */
  readonly path: string;
  readonly query: string;
}

/** Answers git's smart HTTP protocol with `git http-backend`. Resolves when the response is complete. */
export function serveGit(request: IncomingMessage, response: ServerResponse, git: GitRequest): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_PROJECT_ROOT: dirname(git.bareDir),
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: `/${basename(git.bareDir)}${git.path}`,
      QUERY_STRING: git.query,
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      // Every authenticated user may push.
      REMOTE_USER: "somebody",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.once("error", reject);
  child.stdin.on("error", () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.once("close", () => {
    writeResponse(response, Buffer.concat(chunks));
    resolve();
  });
  return promise;
}

function writeResponse(response: ServerResponse, output: Buffer): void {
  const end = output.indexOf("\r\n\r\n");
  const head = output.subarray(0, Math.max(0, end)).toString("latin1").split("\r\n");
  const headers = head.map((line) => line.split(/:\s*(.*)/s)).map(([name = "", value = ""]) => [name, value] as const);
  const status = headers.find(([name]) => name.toLowerCase() === "status")?.[1] ?? (end < 0 ? "500" : "200");
  response.statusCode = Number.parseInt(status, 10);
  for (const [name, value] of headers)
    if (name !== "" && name.toLowerCase() !== "status") response.setHeader(name, value);
  response.end(end < 0 ? "" : output.subarray(end + 4));
}
