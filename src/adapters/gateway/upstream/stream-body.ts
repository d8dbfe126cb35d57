import type { IncomingMessage, ServerResponse } from "node:http";
import type { UsageDropper } from "../meter/drop-usage.ts";

interface StreamParams {
  readonly answer: IncomingMessage;
  /** Its headers are already sent. */
  readonly response: ServerResponse;
  /** Called with every chunk before it is sent. May destroy the response. */
  readonly inspect: (bytes: Buffer) => void;
  /** Null sends everything unchanged. */
  readonly dropper: UsageDropper | null;
}

/** Streams the body of an answer to the client, with backpressure. */
export function streamBody({ answer, response, inspect: look, dropper }: StreamParams): void {
  response.on("drain", () => answer.resume());
  answer.on("data", (piece: Buffer) => {
    look(piece);
    if (response.destroyed) return;
    const sent = dropper?.push(piece) ?? piece;
    if (sent.length > 0 && !response.write(sent)) answer.pause();
  });
  answer.once("end", () => {
    if (!response.destroyed) response.end(dropper?.end());
  });
  // The client must see that the answer is incomplete. setImmediate lets data that was already written leave first.
  answer.once("error", () => setImmediate(() => response.destroy()));
}
