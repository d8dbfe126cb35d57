import { UnclearAnswer } from "../upstream/answer-head.ts";

/** What stands before an end, of what came and `from` there on, and where it goes on; null while that is not here yet. */
type TakeText = (bytes: Buffer, from: number, until: Until) => { readonly text: string; readonly next: number } | null;

interface Until {
  readonly end: string;
  /** In bytes. */
  readonly most: number;
}

const EMPTY = Buffer.alloc(0);

export function createTextTaker(): TakeText {
  /** A beginning whose end has not come yet. */
  let held: Buffer = EMPTY;

  /** A line break alone ends a line for some and not for others; waiting for another end would take for ever. */
  function hold(part: Buffer): null {
    if (/(?:^|[^\r])\n/.test(part.toString("latin1"))) throw new UnclearAnswer("a line of it ends without CR");
    held = Buffer.from(part);
    return null;
  }

  return (bytes, from, { end, most }) => {
    // Nearly always nothing is held, and then nothing is copied either.
    const [all, start] = held.length === 0 ? [bytes, from] : [Buffer.concat([held, bytes.subarray(from)]), 0];
    // Only what is new can have the end in it, but for its first signs.
    const at = all.indexOf(end, start + Math.max(0, held.length - end.length), "latin1");
    if ((at < 0 ? all.length : at) - start > most) throw new UnclearAnswer("a line of it has no end");
    if (at < 0) return hold(all.subarray(start));
    held = EMPTY;
    return { text: all.toString("latin1", start, at), next: bytes.length - (all.length - at - end.length) };
  };
}
