import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { PriceTable } from "../../core/money/prices.ts";
import type { GatewayPlan } from "../../ports/gateway.ts";
import { openGateway } from "./gateway.ts";

/** A fake model API on loopback. */
export interface TestModel {
  readonly url: string;
  readonly seen: ReceivedRequest[];
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Resolves when the answer is complete or the connection is closed. */
  readonly ended: Promise<"whole" | "broken">;
}

export type Responder = (response: ServerResponse, seen: ReceivedRequest) => unknown;

export async function openTestModel(play: Responder): Promise<TestModel> {
  const seen: ReceivedRequest[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ended = new Promise<"whole" | "broken">((resolve) => {
      response.once("close", () => resolve(response.writableFinished ? "whole" : "broken"));
    });
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: await text(request), ended };
    seen.push(one);
    await play(response, one);
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A TCP server always has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

export function events(...parts: readonly unknown[]): Responder {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(stream(...parts));
  };
}

export function stream(...parts: readonly unknown[]): string {
  return parts.map((part) => `data: ${typeof part === "string" ? part : JSON.stringify(part)}\n\n`).join("");
}

export function json(value: unknown, status = 200): Responder {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };
}

/** Concatenated, so that secret scanners do not report it. */
export const KEY = ["sk", "ant", "real", "f00dfeedbeef"].join("-");
export const NONCE = "nonce-of-this-run";
export const PRICES: PriceTable = {
  "claude-*": { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  "gpt-*": { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 0 },
  "gemini-*": { input: 1, output: 4, cacheRead: 0.1, cacheWrite: 0 },
};

export interface OpenedGateway {
  readonly url: string;
  readonly usage: unknown[];
  readonly notes: string[];
  readonly exhausted: string[];
  close(): Promise<void>;
  send(path: string, body: unknown, init?: RequestInit): Promise<Response>;
}

export function testPlan(upstream: string, changes: Partial<GatewayPlan> = {}): GatewayPlan {
  return {
    api: "anthropic",
    upstream,
    keyName: "KEY",
    keyKind: "api_key",
    nonce: NONCE,
    limitUsd: null,
    limitTokens: null,
    prices: PRICES,
    ...changes,
  };
}

export async function openTestGateway(upstream: string, changes: Partial<GatewayPlan> = {}): Promise<OpenedGateway> {
  const plan = testPlan(upstream, changes);
  const usage: unknown[] = [];
  const notes: string[] = [];
  const exhausted: string[] = [];
  const gateway = await openGateway({
    plan,
    key: KEY,
    socket: null,
    onUsage: (line) => usage.push(JSON.parse(line)),
    onNote: (sentence) => notes.push(sentence),
    onExhausted: (sentence) => exhausted.push(sentence),
  });
  onTestFinished(gateway.close);
  const url = `http://127.0.0.1:${gateway.port}`;
  return {
    url,
    usage,
    notes,
    exhausted,
    close: gateway.close,
    send: (path, body, init = {}) =>
      fetch(url + path, {
        method: "POST",
        body: JSON.stringify(body),
        ...init,
        headers: { "x-api-key": NONCE, "content-type": "application/json", ...(init.headers as object) },
      }),
  };
}
