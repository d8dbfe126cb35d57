import type { IncomingMessage, ServerResponse } from "node:http";
import type { UsageDropper } from "../meter/drop-usage.ts";

interface ForwardParams {
  readonly answer: IncomingMessage;
  /** Its head is written. */
  readonly response: ServerResponse;
  /** Sees every piece before it is passed on, and may destroy the response. */
  readonly look: (bytes: Buffer) => void;
  /** Null: everything is passed on unchanged. */
  readonly dropper: UsageDropper | null;
}

/** Passes an answer's body on to the client piece by piece. A slow client slows upstream down. */
export function forward({ answer, response, look, dropper }: ForwardParams): void {
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
  // The client must see that this was not the end of the answer. What was written before still gets its turn to leave.
  answer.once("error", () => setImmediate(() => response.destroy()));
}
