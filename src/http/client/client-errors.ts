import type { ProblemJson } from "../contract/problem.ts";
import type { ApiResponse } from "./client-send.ts";

/** The daemon understood and said no. */
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

/** Nobody answers there, or no longer. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";

  constructor(address: string, cause: unknown) {
    super(`No daemon answers at ${new URL(address).origin}.`, { cause });
  }
}

export async function failOnProblem(response: ApiResponse): Promise<void> {
  if (response.ok) return;
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/problem+json")) {
    throw new ProblemError((await response.json()) as ProblemJson); // problem.ts writes nothing else under this type
  }
  await response.body?.cancel();
  throw new ProblemError({
    status: response.status,
    title: response.statusText,
    detail: `Something that is not Nightshift answered with ${response.status} ${response.statusText}.`,
    hint: "Check the address: another program may have taken the daemon's port.",
    issues: [],
  });
}
