import { parseHead, UnclearAnswer } from "./answer-head.ts";
import type { AnswerHead, Framing } from "./answer-head.ts";
import { createTextTaker } from "../meter/take-text.ts";

/** Told of one answer as it comes. Pieces of the body are lent: their memory is used again after the call. */
export interface AnswerListener {
  onHead(head: AnswerHead): void;
  onBody(piece: Buffer): unknown;
  /** `isClean`: nothing followed it, so that the connection may carry another. */
  onEnd(isClean: boolean): unknown;
}

export interface AnswerReader {
  /** Throws `UnclearAnswer`. */
  push(bytes: Buffer): void;
  /** The connection ended: whether that is an end of the answer, too. */
  close(): boolean;
}

type Place = "head" | "size" | "data" | "data end" | "trailer" | "rest" | "over";

const HEAD = { end: "\r\n\r\n", most: 64 * 1024 };
const LINE = { end: "\r\n", most: 4 * 1024 };
const MAX_TRAILER = 16 * 1024;
// An extension of a chunk says nothing that anybody uses; it must be no second line in disguise.
const SIZE = /^([\da-f]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

/**
 * Finds where an answer ends, and looks at nothing else. Node's own parser copies every piece into memory of its own, which
 * is most of what it costs a proxy to pass on what it need not understand.
 */
export function createAnswerReader(listener: AnswerListener): AnswerReader {
  let place: Place = "head";
  const take = createTextTaker();
  let left = 0;
  let trailerBytes = 0;
  let framing: Framing = { kind: "none" };

  function takeHead(text: string): void {
    const head = parseHead(text);
    if (head.status === 101) throw new UnclearAnswer("it changes the protocol");
    // 100 and 103: the answer itself is still to come.
    if (head.status < 200) return;
    framing = head.framing;
    left = framing.kind === "length" ? framing.bytes : 0;
    place = framing.kind === "chunks" ? "size" : framing.kind === "close" ? "rest" : "data";
    listener.onHead(head);
  }

  function takeSize(text: string): void {
    const digits = SIZE.exec(text)?.[1];
    if (digits === undefined) throw new UnclearAnswer("a chunk of it has no size");
    left = Number.parseInt(digits, 16);
    place = left === 0 ? "trailer" : "data";
  }

  function takeLine(bytes: Buffer, from: number): number {
    const line = take(bytes, from, LINE);
    if (line === null) return bytes.length;
    if (place === "size") takeSize(line.text);
    else if (place === "data end") {
      if (line.text !== "") throw new UnclearAnswer("a chunk of it is longer than it says");
      place = "size";
    } else if (line.text === "") place = "over";
    else if ((trailerBytes += line.text.length) > MAX_TRAILER) throw new UnclearAnswer("its trailer has no end");
    return line.next;
  }

  function takeData(bytes: Buffer, from: number): number {
    const most = place === "rest" ? bytes.length : Math.min(bytes.length, from + left);
    const piece = from === 0 && most === bytes.length ? bytes : bytes.subarray(from, most);
    if (place === "data") left -= piece.length;
    if (place === "data" && left === 0) place = framing.kind === "chunks" ? "data end" : "over";
    if (piece.length > 0) listener.onBody(piece);
    return most;
  }

  function step(bytes: Buffer, from: number): number {
    if (place === "data" || place === "rest") return takeData(bytes, from);
    if (place !== "head") return takeLine(bytes, from);
    const head = take(bytes, from, HEAD);
    if (head === null) return bytes.length;
    takeHead(head.text);
    return head.next;
  }

  return {
    push(bytes) {
      if (place === "over") throw new UnclearAnswer("something follows it that nobody asked for");
      let from = 0;
      // An answer without a body ends with its head.
      while (!isOver() && from < bytes.length) from = step(bytes, from);
      if (!isOver()) return;
      place = "over";
      listener.onEnd(from === bytes.length);
    },
    close: () => place === "rest" || place === "over",
  };

  function isOver(): boolean {
    return place === "over" || (place === "data" && left === 0 && framing.kind !== "chunks");
  }
}
