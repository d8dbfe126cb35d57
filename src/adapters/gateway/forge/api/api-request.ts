/** A request to the forge's API, before it is checked. */
export interface ApiRequest {
  readonly method: string;
  /** Decoded parts of the path. */
  readonly segments: readonly string[];
  readonly query: string;
  readonly body: string;
}

/** What is sent to the forge for a request that is allowed. Built from the parts that were checked. */
export interface AllowedRequest {
  readonly api: "rest" | "graphql";
  /** Below the root of the API. */
  readonly path: string;
  readonly body: string | null;
}

/** The request is not allowed. The message says why. */
export class Refusal extends Error {}

/** Sends a request of the gateway itself, and returns the parsed answer. */
export type AskForge = (request: AllowedRequest) => Promise<unknown>;

const MAX_URL_LENGTH = 4096;
const PLAIN_URL = /^\/[\w.~!$'()*+,=:@%/-]*(?:\?[\w.~!$'()*+,=:@%/&[\]-]*)?$/;

/** Splits the target of a request. Null if it is not a plain path: servers could read such a path differently. */
export function readTarget(url: string): Pick<ApiRequest, "segments" | "query"> | null {
  if (url.length > MAX_URL_LENGTH || !PLAIN_URL.test(url)) return null;
  const [path = "", query = ""] = url.split("?", 2);
  // `gh` asks for the root with a slash at the end.
  const inner = path.slice(1).replace(/\/$/, "");
  if (inner === "") return { segments: [], query };
  const segments = inner.split("/").map(decodeSegment);
  return segments.includes(null) ? null : { segments: segments as string[], query };
}

/** A segment may contain encoded slashes, for example GitLab's paths of projects. */
function decodeSegment(segment: string): string | null {
  try {
    const text = decodeURIComponent(segment);
    const isPlain = !/[%;\\\p{Cc}]/u.test(text) && text.split("/").every((part) => !/^\.{0,2}$/.test(part));
    return isPlain ? text : null;
  } catch {
    return null;
  }
}

export function writePath(segments: readonly string[], query = ""): string {
  return `/${segments.map(encodeURIComponent).join("/")}${query === "" ? "" : `?${query}`}`;
}

/** Keeps a query whose parameters are all in the list. Others could select another project or user. */
export function checkQuery(query: string, allowed: ReadonlySet<string>): string {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys())
    if (!allowed.has(name)) throw new Refusal(`the parameter "${name}" is not allowed`);
  return parameters.toString();
}

/**
 * Whether one of the patterns matches the segments. `:n` is a number, `:x` one segment, `**` one or more segments, and
 * `{a,b}` one of several names.
 */
export function createMatcher(patterns: readonly string[]): (segments: readonly string[]) => boolean {
  const parsed = patterns.map((pattern) => (pattern === "" ? [] : pattern.split("/")));
  return (segments) => parsed.some((pattern) => matches(pattern, segments));
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const hasRest = pattern.at(-1) === "**";
  const fixed = hasRest ? pattern.slice(0, -1) : pattern;
  const isLength = hasRest ? segments.length > fixed.length : segments.length === fixed.length;
  return isLength && fixed.every((part, index) => matchesPart(part, segments[index] ?? ""));
}

function matchesPart(part: string, segment: string): boolean {
  if (part === ":x") return true;
  if (part === ":n") return /^[1-9]\d{0,17}$/.test(segment);
  if (part.startsWith("{")) return part.slice(1, -1).split(",").includes(segment);
  return part === segment;
}

/** Throws unless the branch may be pushed by this run, so that only its own work can be proposed. */
export function requireTaskBranch(name: string, isTaskBranch: (name: string) => boolean): void {
  if (!isTaskBranch(name)) throw new Refusal(`"${name}" is not a branch of this task`);
}

export function parseBody(body: string): unknown {
  try {
    return JSON.parse(body === "" ? "{}" : body);
  } catch {
    throw new Refusal("the body is not JSON");
  }
}
