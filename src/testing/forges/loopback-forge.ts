import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { createTempRepo } from "../temp-repo.ts";
import type { Files, TempRepo } from "../temp-repo.ts";
import type { ApiResponse } from "./fake-api.ts";
import { serveGit } from "./git-http.ts";
import { handleGithubRequest } from "./github-api.ts";
import { handleGitlabRequest } from "./gitlab-api.ts";
import { addComment, findChangeRequest, FREE_MERGING, readHead, merge, openChangeRequest } from "./forge-world.ts";
import type { ForgeWorld, FakeChangeRequest, FakeCi, FakeComment, FakeIssue, MergeRules } from "./forge-world.ts";

export interface LoopbackParams {
  readonly kind: "github" | "gitlab";
  readonly token: string;
  /** Initial files on `main`. */
  readonly files?: Files;
  /** Path of the project. Default `team/shop`. */
  readonly project?: string;
  /** An earlier path of the project, which redirects. */
  readonly formerProject?: string;
  /** Path prefix of the whole forge, such as `/gitlab`. */
  readonly prefix?: string;
  readonly users?: readonly string[];
  /** Scopes of the token. Null if the forge does not report them. Default: sufficient. */
  readonly scopes?: readonly string[] | null;
  readonly role?: ForgeWorld["role"];
  readonly draftsAllowed?: boolean;
  readonly maxPerPage?: number;
}

/** A fake GitHub or GitLab: git really pushes to it, and it keeps change requests in memory. */
export interface LoopbackForge {
  readonly kind: "github" | "gitlab";
  /** For `forge.url`. */
  readonly url: string;
  readonly project: string;
  /** For git over http. */
  readonly remoteUrl: string;
  /** For git over a path. */
  readonly bareDir: string;
  /** Its `checkout` is a user's checkout with `bareDir` as origin. */
  readonly repo: TempRepo;
  /** All requests in order. */
  readonly requests: readonly LoopbackRequest[];
  readonly changeRequests: readonly FakeChangeRequest[];
  readonly mergeRules: MergeRules;
  /** Opens a change request like a person would. */
  openRequest(fields: Partial<FakeChangeRequest> & Pick<FakeChangeRequest, "branch">): Promise<FakeChangeRequest>;
  openIssue(issue: FakeIssue): void;
  /** Merges in the repository and returns the merge commit. */
  merge(number: number): Promise<string>;
  closeRequest(number: number): void;
  comment(number: number, comment: Partial<FakeComment> & Pick<FakeComment, "body">): void;
  /** Sets the CI result of the branch's current commit. */
  ci(number: number, state: FakeCi, log?: string): void;
  fail(failure: Failure): void;
  /** Removes the failures that were requested. */
  recoverFromFailures(): void;
  /** Stops answering after the next push, until `recover`. */
  stopAfterPush(): void;
  recover(): void;
  /** Removes requests, change requests and failures. The repository stays. */
  reset(): void;
  /** Also removes the repository. */
  close(): Promise<void>;
}

export interface LoopbackRequest {
  readonly kind: "api" | "git";
  readonly method: string;
  /** For the API: the path below its root. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Null if no response was sent. */
  readonly status: number | null;
}

export interface Failure {
  readonly method?: string;
  /** Matches the API's path. */
  readonly path?: RegExp;
  /** Number of requests it affects. Default 1. */
  readonly times?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Closes the connection instead of responding. */
  readonly drop?: boolean;
  /** Performs the request, but loses the response. */
  readonly afterDoing?: boolean;
}

export async function openLoopbackForge(params: LoopbackParams): Promise<LoopbackForge> {
  const repo = await createTempRepo(params.files);
  const project = params.project ?? "team/shop";
  const world: ForgeWorld = {
    kind: params.kind,
    url: "",
    project,
    formerProject: params.formerProject ?? null,
    bareDir: repo.remote,
    users: params.users ?? ["alice", "bob"],
    scopes: params.scopes === undefined ? [params.kind === "github" ? "repo" : "api"] : params.scopes,
    role: params.role ?? "write",
    draftsAllowed: params.draftsAllowed ?? true,
    maxPerPage: params.maxPerPage ?? 100,
    changeRequests: [],
    issues: [],
    ci: new Map(),
    ciLogs: new Map(),
    labels: new Set(),
    mergeRules: { ...FREE_MERGING },
  };
  const recorder = new RequestRecorder(world, params);
  const server = createServer((request, response) => {
    recorder.handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, body: { message: `The loopback forge failed: ${String(error)}` } });
    });
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen({ host: "127.0.0.1", port: 0 }, resolve);
  await promise;
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  world.url = `http://127.0.0.1:${port}${params.prefix ?? ""}`;
  return {
    kind: params.kind,
    url: world.url,
    project,
    remoteUrl: `${world.url}/${project}.git`,
    bareDir: repo.remote,
    repo,
    requests: recorder.requests,
    changeRequests: world.changeRequests,
    mergeRules: world.mergeRules,
    ...createControls(world),
    fail: (failure) => void recorder.failures.push({ failure, remaining: failure.times ?? 1 }),
    recoverFromFailures: () => void (recorder.failures.length = 0),
    stopAfterPush: () => void (recorder.state = "stops after push"),
    recover: () => void (recorder.state = "running"),
    reset() {
      for (const list of [recorder.requests, recorder.failures, world.changeRequests, world.issues]) list.length = 0;
      for (const collection of [world.ci, world.ciLogs, world.labels]) collection.clear();
      Object.assign(world.mergeRules, FREE_MERGING);
      recorder.state = "running";
    },
    async close() {
      await new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      });
      await repo.remove();
    },
  };
}

function createControls(
  world: ForgeWorld,
): Pick<LoopbackForge, "openRequest" | "openIssue" | "merge" | "closeRequest" | "comment" | "ci"> {
  const get = (number: number): FakeChangeRequest => {
    const changeRequest = findChangeRequest(world, number);
    if (changeRequest === null) throw new Error(`There is no change request ${number}.`);
    return changeRequest;
  };
  return {
    async openRequest(fields) {
      const headCommit = (await readHead(world, fields.branch)) ?? "";
      return openChangeRequest(world, {
        title: fields.branch,
        author: "bob",
        body: "",
        target: "main",
        draft: false,
        headCommit,
        ...fields,
      });
    },
    openIssue: (issue) => void world.issues.push(issue),
    merge: (number) => merge(world, get(number)),
    closeRequest: (number) => void (get(number).state = "closed"),
    comment: (number, fields) => void addComment(get(number), fields),
    ci(number, state, log = "") {
      world.ci.set(get(number).headCommit, state);
      world.ciLogs.set(get(number).headCommit, log);
    },
  };
}

/** Handles and records requests, and plays the failures that a test requested. */
class RequestRecorder {
  readonly requests: LoopbackRequest[] = [];
  readonly failures: { readonly failure: Failure; remaining: number }[] = [];
  state: "running" | "stops after push" | "stopped" = "running";
  readonly #world: ForgeWorld;
  readonly #token: string;
  readonly #prefix: string;

  constructor(world: ForgeWorld, { token, prefix = "" }: LoopbackParams) {
    this.#world = world;
    this.#token = token;
    this.#prefix = prefix;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.state === "stopped") return void response.destroy();
    const url = new URL(request.url ?? "/", "http://loopback");
    const path = url.pathname.startsWith(`${this.#prefix}/`) ? url.pathname.slice(this.#prefix.length) : "";
    const root = this.#world.kind === "github" ? "/api/v3" : "/api/v4";
    if (path.startsWith(`${root}/`))
      return await this.#handleApi(request, response, { url, path: path.slice(root.length) });
    if (path === "/api/graphql" && this.#world.kind === "github")
      return await this.#handleApi(request, response, { url, path: "/graphql" });
    const repository = `/${this.#world.project}.git`;
    if (path.startsWith(`${repository}/`)) {
      return await this.#handleGit(request, response, { url, path: path.slice(repository.length) });
    }
    if (path === "/logs") {
      this.#record(request, { url, path }, { kind: "git", body: {}, status: 200 });
      const headers = { "content-type": "text/plain" };
      send(response, { status: 200, body: url.searchParams.get("text") ?? "", headers });
      return;
    }
    send(response, { status: 404, body: "<html>Page not found</html>", headers: { "content-type": "text/html" } });
  }

  async #handleGit(request: IncomingMessage, response: ServerResponse, target: RequestTarget): Promise<void> {
    const password = basicPassword(request.headers.authorization);
    if (password !== this.#token) {
      const headers = { "www-authenticate": 'Basic realm="git"', "content-type": "text/plain" };
      send(response, { status: 401, body: "HTTP Basic: Access denied", headers });
    } else if (this.#world.role === "read" && `${target.path}${target.url.search}`.includes("git-receive-pack")) {
      send(response, {
        status: 403,
        body: "You are not allowed to push code",
        headers: { "content-type": "text/plain" },
      });
    } else {
      await serveGit(request, response, {
        bareDir: this.#world.bareDir,
        path: target.path,
        query: target.url.search.slice(1),
      });
      if (target.path === "/git-receive-pack" && this.state === "stops after push") this.state = "stopped";
    }
    this.#record(request, target, { kind: "git", body: {}, status: response.statusCode });
  }

  async #handleApi(request: IncomingMessage, response: ServerResponse, target: RequestTarget): Promise<void> {
    const bodyText = await readText(request);
    const body = bodyText === "" ? {} : (JSON.parse(bodyText) as Record<string, unknown>);
    const failure = this.#takeFailure(request.method ?? "", target.path);
    const performed =
      failure === null || failure.afterDoing === true ? await this.#perform(request, target, body) : null;
    if (failure?.drop === true) {
      this.#record(request, target, { kind: "api", body, status: null });
      return void response.destroy();
    }
    const answer = failure === null || failure.status === undefined ? performed : toApiResponse(failure);
    const sent = answer === null ? null : compareEtag(request, answer);
    if (sent === null) throw new Error("A failure needs a status or a drop.");
    this.#record(request, target, { kind: "api", body, status: sent.status });
    send(response, sent);
  }

  #perform(
    request: IncomingMessage,
    { url, path }: RequestTarget,
    body: Record<string, unknown>,
  ): Promise<ApiResponse> {
    const sentToken = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const token = sentToken === this.#token ? sentToken : null;
    const handle = this.#world.kind === "github" ? handleGithubRequest : handleGitlabRequest;
    return handle(this.#world, { method: request.method ?? "", path, query: url.searchParams, body, token });
  }

  #takeFailure(method: string, path: string): Failure | null {
    const found = this.failures.find(
      ({ failure, remaining }) =>
        remaining > 0 &&
        (failure.method ?? method) === method &&
        (failure.path === undefined || failure.path.test(path)),
    );
    if (found === undefined) return null;
    found.remaining--;
    return found.failure;
  }

  #record(
    request: IncomingMessage,
    { url, path }: RequestTarget,
    rest: Pick<LoopbackRequest, "kind" | "body" | "status">,
  ): void {
    const { method = "", headers } = request;
    this.requests.push({ method, path, headers, query: Object.fromEntries(url.searchParams), ...rest });
  }
}

interface RequestTarget {
  readonly url: URL;
  readonly path: string;
}

/** Both forges answer a conditional request with 304 if nothing changed. */
function compareEtag({ method, headers }: IncomingMessage, answer: ApiResponse): ApiResponse {
  if (method !== "GET" || answer.status !== 200) return answer;
  const etag = `"${createHash("sha1").update(JSON.stringify(answer.body)).digest("hex")}"`;
  const found = { ...answer.headers, etag };
  if (headers["if-none-match"] === etag) return { status: 304, body: null, headers: found };
  return { ...answer, headers: found };
}

function toApiResponse({ status = 500, headers, body }: Failure): ApiResponse {
  return {
    status,
    body: body ?? { message: "This failure was requested by a test." },
    ...(headers ? { headers } : {}),
  };
}

function basicPassword(header: string | undefined): string | null {
  const encoded = /^basic (.+)$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return null;
  return Buffer.from(encoded, "base64").toString().split(":").slice(1).join(":");
}

function send(response: ServerResponse, { status, body, headers = {} }: ApiResponse): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(status === 204 || status === 304 ? undefined : typeof body === "string" ? body : JSON.stringify(body));
}
