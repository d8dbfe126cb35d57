import { expect, test } from "vitest";
import { createTokenMask } from "./mask-token.ts";

const mask = createTokenMask(["ghp-secret", "eDpnaHA="]);

test("the token is masked in a stream wherever its parts are cut", () => {
  const text = "a ghp-secret b ghp-ghp-secretghp-secre eDpnaHA=";
  for (let first = 0; first <= text.length; first++)
    for (let second = first; second <= text.length; second += 3) {
      const stream = mask.openStream();
      const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
      const sent = Buffer.concat([...pieces.map((piece) => stream.push(Buffer.from(piece))), stream.end()]).toString();
      expect(sent).toBe("a ********** b ghp-**********ghp-secre ********");
    }
});

test("only the possible start of a token is kept back", () => {
  const stream = mask.openStream();
  expect(stream.push(Buffer.from("abc")).toString()).toBe("abc");
  expect(stream.push(Buffer.from("abc gh")).toString()).toBe("abc ");
  expect(stream.push(Buffer.from("x")).toString()).toBe("ghx");
  expect(stream.end().toString()).toBe("");
});

test("the token is masked in headers", () => {
  expect(mask.maskText("see https://x:ghp-secret@host")).toBe("see https://x:**********@host");
});
