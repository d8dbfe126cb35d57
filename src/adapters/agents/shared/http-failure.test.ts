import { expect, test } from "vitest";
import { fatalError, classifyFailure } from "./http-failure.ts";

test.each([
  ["unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:3129/v1/responses", "login"],
  ["exceeded retry limit, last status: 429 Too Many Requests", "rate_limit"],
  ["unexpected status 429: You exceeded your current quota, please check your plan", "usage_limit"],
  ["[API Error: You have exhausted your daily quota on this model.]", "usage_limit"],
  ["You've hit your usage limit. Try again at 3:05 PM.", "usage_limit"],
  ['[API Error: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}]', "overloaded"],
  ["We're currently experiencing high demand, which may cause temporary errors.", "overloaded"],
  ["unexpected status 400: This model's maximum context length is 8192 tokens", "context_too_long"],
  ["stream disconnected before completion: error sending request", "network"],
  ["exception TypeError: fetch failed sending request", "network"],
  ["unexpected status 400 Bad Request: no such tool", null],
  ["listening on port 5000", null],
] as const)("%s", (message, failure) => {
  expect(classifyFailure(message)).toBe(failure);
});

test("classifyFailure: a known status takes precedence over one in the message", () => {
  expect(classifyFailure("status: 500", 401)).toBe("login");
});

test("fatalError: usage and rate limits add a limit event", () => {
  expect(fatalError("m", "usage_limit").map(({ type }) => type)).toEqual(["limit", "error"]);
  expect(fatalError("m", "rate_limit")[0]).toEqual({ type: "limit", kind: "rate", resetsAt: null });
  expect(fatalError("m", "login")).toEqual([{ type: "error", message: "m", failure: "login" }]);
});
