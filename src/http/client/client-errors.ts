import type { ProblemJson } from "../contract/problem.ts";
import type { ApiResponse } from "./client-send.ts";

/** The daemon responded with an error. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly hint: string | null;
  readonly issues: ProblemJson["issues"];

  constructor(problem: Pick<ProblemJson, "status" | "title" | "detail" | "hint" | "issues">) {
    super(problem.detail);
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.hint = problem.hint;
    this.issues = problem.issues;
  }
}

/** The daemon cannot be reached, or the connection was lost. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  constructor(address: string, cause: unknown) {
    // The page of the daemon uses addresses without an origin.
    const place = address.startsWith("/") ? "" : ` at ${new URL(address).origin}`;
    super(`No daemon responds${place}.`, { cause });
  }
}

/** The daemon accepts connections but sends nothing: it is stopped, hung, or the machine is overloaded. */
export class UnresponsiveError extends Error {
  override readonly name = "UnresponsiveError";

  constructor(address: string) {
    super(`The daemon at ${new URL(address).origin} does not answer.`);
  }
}

export async function failOnProblem(response: ApiResponse): Promise<void> {
  if (response.ok) return;
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/problem+json")) {
    throw new ProblemError((await response.json()) as ProblemJson); // problem.ts is the only source of this content type
  }
  await response.body?.cancel();
  throw new ProblemError({
    status: response.status,
    title: response.statusText,
    detail: `A program other than Nightshift responded with ${response.status} ${response.statusText}.`,
    hint: "Check the URL. Another program may be using the daemon's port.",
    issues: [],
  });
}
