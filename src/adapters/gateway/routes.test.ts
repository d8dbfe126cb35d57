import { describe, expect, it } from "vitest";
import { findRoute } from "./routes.ts";

describe("findRoute: allowed", () => {
  it.each([
    ["anthropic", "POST", "/v1/messages?beta=true", "/v1/messages?beta=true", true],
    ["anthropic", "POST", "/v1/messages/count_tokens", "/v1/messages/count_tokens", false],
    ["anthropic", "GET", "/v1/models?limit=5", "/v1/models?limit=5", false],
    ["openai", "POST", "/v1/responses", "/v1/responses", true],
    ["openai", "POST", "/v1/chat/completions", "/v1/chat/completions", true],
    ["openai", "GET", "/v1/models/vendor/some-model.1", "/v1/models/vendor/some-model.1", false],
    ["gemini", "POST", "/v1beta/models/g-1.5:generateContent?key=n", "/v1beta/models/g-1.5:generateContent", true],
    [
      "gemini",
      "POST",
      "/v1beta/models/g:streamGenerateContent?alt=sse&key=n",
      "/v1beta/models/g:streamGenerateContent?alt=sse",
      true,
    ],
    ["gemini", "POST", "/v1beta/models/g:countTokens", "/v1beta/models/g:countTokens", false],
  ] as const)("%s %s %s", (...[api, method, url, path, isBilled]) => {
    expect(findRoute(api, method, url)).toMatchObject({ path, isBilled });
  });

  it("reads the model from the path and drops unknown query parameters", () => {
    expect(findRoute("gemini", "POST", "/v1beta/models/g-1:generateContent")?.model).toBe("g-1");
    expect(findRoute("anthropic", "POST", "/v1/messages?alt=sse&beta=false&%24httpMethod=DELETE")?.path).toBe(
      "/v1/messages",
    );
  });
});

describe("findRoute: not allowed", () => {
  it.each([
    ["anthropic", "GET", "/v1/messages"],
    ["anthropic", "DELETE", "/v1/models/m"],
    ["anthropic", "POST", "/v1/messages/batches"],
    ["anthropic", "POST", "/v1/files"],
    ["anthropic", "POST", "/v1/messages/"],
    ["anthropic", "POST", "//v1/messages"],
    ["anthropic", "POST", "/v1/./messages"],
    ["anthropic", "POST", "/x/../v1/messages"],
    ["anthropic", "POST", "/v1/messages;x"],
    ["anthropic", "POST", "/v1/messages#x"],
    ["anthropic", "POST", "/v1/%6dessages"],
    ["anthropic", "POST", "/V1/messages"],
    ["anthropic", "POST", "http://elsewhere.example/v1/messages"],
    ["anthropic", "POST", "//elsewhere.example/v1/messages"],
    ["anthropic", "POST", "*"],
    ["anthropic", "POST", ""],
    ["anthropic", "GET", "/v1/models/.."],
    ["anthropic", "GET", "/v1/models/../organizations"],
    ["anthropic", "GET", "/v1/models/a/../../organizations"],
    ["anthropic", "GET", "/v1/models/a%2f..%2f..%2forganizations"],
    ["anthropic", "GET", String.raw`/v1/models/..\organizations`],
    ["anthropic", "POST", "/v1/chat/completions"],
    ["openai", "POST", "/v1/messages"],
    ["openai", "GET", "/v1/responses/resp_1"],
    ["openai", "POST", "/v1/embeddings"],
    ["openai", "GET", "/v1/organization/costs"],
    ["gemini", "POST", "/v1beta/models/g:batchGenerateContent"],
    ["gemini", "POST", "/v1beta/models/../cachedContents:generateContent"],
    ["gemini", "GET", "/v1beta/files"],
  ] as const)("%s %s %s", (api, method, url) => {
    expect(findRoute(api, method, url)).toBeNull();
  });
});
