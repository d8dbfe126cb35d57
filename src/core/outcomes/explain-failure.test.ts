import { describe, expect, it } from "vitest";
import { explainFailure, hasLostSession } from "./explain-failure.ts";
import { FAILURES, type Failure, type TranscriptEvent } from "../task/documents/transcript.ts";

const error = (failure: Failure | null, message = "it says why"): TranscriptEvent => ({
  type: "error",
  message,
  failure,
});

describe("explainFailure", () => {
  it.each(FAILURES)("has an outcome for %s", (failure) => {
    expect(explainFailure([error(failure)])).toMatchObject({ name: expect.any(String), message: "it says why" });
  });

  it("uses the last error that has a failure kind", () => {
    expect(explainFailure([error("network"), error("login"), error(null)])?.name).toBe("login_expired");
    expect(explainFailure([error(null)])).toBeNull();
    expect(explainFailure([])).toBeNull();
  });

  it("returns the reset time for a usage limit only", () => {
    const limit: TranscriptEvent = { type: "limit", kind: "usage", resetsAt: 1234 };
    expect(explainFailure([limit, error("usage_limit")])).toMatchObject({ name: "usage_limit", retryAt: 1234 });
    expect(explainFailure([limit, error("network")])).toMatchObject({ name: "provider_down", retryAt: null });
  });
});

describe("hasLostSession", () => {
  it("is true if the CLI reports an unknown session", () => {
    expect(hasLostSession([error("session_unknown")])).toBe(true);
    expect(hasLostSession([error("login")])).toBe(false);
  });
});
