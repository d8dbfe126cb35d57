import { UnreachableError } from "./client-errors.ts";

export interface Call {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** The part of a Response that the client reads. */
export interface ApiResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: { get(name: string): string | null };
  readonly body?: { cancel(): Promise<void> } | null;
  json(): Promise<unknown>;
}

/** Sends a request and reads the whole response. Throws UnreachableError if the connection fails. */
export type Send = (address: string, call: Call) => Promise<ApiResponse>;

export const sendWithFetch: Send = async (address, call) => {
  try {
    const response = await fetch(address, call);
    const text = await response.text();
    const { ok, status, statusText, headers } = response;
    return { ok, status, statusText, headers, json: async () => JSON.parse(text) as unknown };
  } catch (error) {
    throw call.signal?.aborted === true ? error : new UnreachableError(address, error);
  }
};
