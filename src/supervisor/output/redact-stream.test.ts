import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { terminalText } from "../../core/text/terminal-text.ts";
import { HIDDEN_CHARACTERS, hiddenIn } from "../../testing/hidden-text.ts";
import { createRedactor } from "../../policy/secrets/redact.ts";
import { createRedactStreams } from "./redact-stream.ts";

const SECRETS = [
  { name: "TOKEN", value: "tok/3n-värde+1" },
  { name: "LONGER", value: "tok/3n-värde+1-and-more" },
  { name: "SAME", value: "aaaaaaaaaa" },
  { name: "OVERLAP", value: "aaaaaaab-12" },
];
const open = createRedactStreams(SECRETS);
const byText = createRedactor(SECRETS);

function pass(bytes: Buffer, cuts: readonly number[]): { out: Buffer; held: number } {
  const stream = open();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const parts: Buffer[] = [];
  let most = 0;
  let taken = 0;
  for (let index = 1; index < places.length; index++) {
    const chunk = bytes.subarray(places[index - 1], places[index]);
    taken += chunk.length;
    parts.push(stream.push(chunk));
    if (byText.find(bytes.toString()).length === 0) most = Math.max(most, taken - Buffer.concat(parts).length);
  }
  return { out: Buffer.concat([...parts, stream.rest()]), held: most };
}

const LONG = SECRETS.map(({ value }) => value)
  .join("|")
  .repeat(4);
const wrapped = [60, 64, 76].flatMap((width) =>
  ["\n", "\r\n", String.raw`\n`].map((lineBreak) =>
    Buffer.from(`forty bytes that stand in front of the value ${LONG}, and behind it`)
      .toString("base64")
      .replace(new RegExp(`.{${width}}`, "g"), `$&${lineBreak}`),
  ),
);

const forms = SECRETS.flatMap(({ value }) => [
  value,
  Buffer.from(value).toString("base64"),
  Buffer.from(`x${value}`).toString("base64url"),
  Buffer.from(value).toString("hex"),
  encodeURIComponent(value),
  Buffer.from(value).toString("hex").replace(/../g, "%$&"),
  JSON.stringify(value),
  encodeURIComponent(value).replace("n-", "%6e-").replace("aaaaa", "aaaa%61"),
]);

describe("redacted stream", () => {
  it.each(forms)("redacts a secret for any chunk boundaries: %s", (form) => {
    const bytes = Buffer.from(`before ${form} after`);
    const whole = pass(bytes, []).out.toString();
    expect(whole).toMatch(/^before .{0,3}\[redacted: (?:TOKEN|LONGER|SAME|OVERLAP)\].{0,4} after$/);
    for (let cut = 1; cut < bytes.length; cut++) expect(pass(bytes, [cut]).out.toString()).toBe(whole);
    expect(
      pass(
        bytes,
        Array.from(bytes, (_, index) => index),
      ).out.toString(),
    ).toBe(whole);
  });

  it.each(wrapped)("redacts a secret that an encoder wrapped into lines, for any chunk boundaries: %#", (form) => {
    const bytes = Buffer.from(`before ${form} after`);
    const openLong = createRedactStreams([{ name: "LONG", value: LONG }]);
    for (let cut = 0; cut < bytes.length; cut++) {
      const stream = openLong();
      const parts = [stream.push(bytes.subarray(0, cut)), stream.push(bytes.subarray(cut)), stream.rest()];
      expect(Buffer.concat(parts).toString()).toMatch(/^before [^[]{50,70}\[redacted: LONG\][^[]{10,40} after$/);
    }
    const single = openLong();
    const parts = Array.from(bytes, (byte) => single.push(Buffer.from([byte])));
    expect(Buffer.concat([...parts, single.rest()]).toString()).toMatch(/^before [^[]{50,70}\[redacted: LONG\]/);
  });

  it("returns the same result for any chunk boundaries, also if secrets overlap", () => {
    // Whether a stray % belongs to an escape depends on where the text starts.
    const other = fc.string().map((text) => text.replaceAll("%", ""));
    const piece = fc.oneof(fc.constantFrom(...forms, "aaaaaaa", "aaab-12", "tok/3n", "\n"), other);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 12 }), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(""));
        // If secrets overlap, the placeholder may have the name of either.
        const [inParts, atOnce] = [cuts, []].map((each) => pass(bytes, each).out.toString("latin1"));
        expect(inParts?.replace(/redacted: \w+/g, "")).toBe(atOnce?.replace(/redacted: \w+/g, ""));
      }),
      { numRuns: 300 },
    );
  });

  it("redacts a secret with invisible characters inside, for any chunk boundaries", () => {
    const secret = "tok/3n-värde+1";
    const cuts = fc.array(fc.nat(), { maxLength: 5 });
    fc.assert(
      fc.property(hiddenIn(secret), fc.boolean(), cuts, (text, isJson, places) => {
        fc.pre(terminalText(text).includes(secret));
        const out = pass(Buffer.from(isJson ? JSON.stringify({ text }) : text), places).out.toString();
        const shown = isJson ? (JSON.parse(out) as { text: string }).text : out;
        expect(terminalText(shown)).not.toContain("tok/3n");
        expect(shown).toContain("[redacted: TOKEN]");
      }),
      { numRuns: 300 },
    );
  });

  it("redacts a secret with any character inside that a terminal does not show", () => {
    const missed = HIDDEN_CHARACTERS.filter((hidden, index) => {
      const bytes = Buffer.from(`is tok/3n-vä${hidden}rde+1.`);
      return pass(bytes, [11 + (index % 5)]).out.toString() !== "is [redacted: TOKEN].";
    });
    expect(missed.map((hidden) => hidden.codePointAt(0)?.toString(16))).toEqual([]);
  });

  it("redacts a secret that is written as JSON escapes, for any chunk boundaries", () => {
    const escaped = Array.from("tok/3n-värde+1", (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const partly = ["t", ...escaped.slice(1, 3), "/3n-", ...escaped.slice(7)];
    for (const text of [escaped.join(""), partly.join("")]) {
      const bytes = Buffer.from(`{"text":"is ${text}."}`);
      for (let cut = 0; cut < bytes.length; cut += 1)
        expect(pass(bytes, [cut]).out.toString()).toBe('{"text":"is [redacted: TOKEN]."}');
    }
  });

  it.each(["\u0000", "\u001b[31m", String.raw`\u0000`])("redacts a secret with 100 kB of %j inside", (hidden) => {
    const bytes = Buffer.from(`before tok/3n-${hidden.repeat(100_000 / hidden.length)}värde+1 after`);
    const cuts = Array.from({ length: 10 }, (_, index) => index * 9999);
    const out = pass(bytes, cuts)
      .out.toString()
      .replaceAll(String.raw`\u0000`, "");
    expect(terminalText(out)).toBe("before [redacted: TOKEN] after");
  });

  it("does not change binary data", () => {
    const bytes = randomBytes(100_000);
    expect(pass(bytes, [1, 999, 5_000, 77_777]).out.equals(bytes)).toBe(true);
  });

  it("passes on a chunk at once if it cannot contain the start of a secret", () => {
    expect(open().push(Buffer.from("a line of output\n")).toString()).toBe("a line of output\n");
  });

  it("holds back the possible start of a secret until it is decided", () => {
    const stream = open();
    expect(stream.push(Buffer.from("see tok/3n")).toString()).toBe("see ");
    expect(stream.push(Buffer.from(" here")).toString()).toBe("tok/3n here");
    expect(stream.push(Buffer.from("tok/")).toString()).toBe("");
    expect(stream.rest().toString()).toBe("tok/");
    expect(stream.rest().toString()).toBe("");
  });

  it("holds back less than the longest secret", () => {
    const longest = Math.max(...SECRETS.map(({ value }) => Buffer.byteLength(value))) * 3;
    const almost = Buffer.from("tok/3n-värde").toString("hex").replace(/../g, "%$&").repeat(20);
    const { held } = pass(
      Buffer.from(almost),
      Array.from({ length: almost.length }, (_, index) => index),
    );
    expect(held).toBeLessThan(longest);
    expect(held).toBeGreaterThan(0);
  });

  it("redacts a secret within a repetition of its characters without holding back the repetition", () => {
    const stream = open();
    const out = Array.from({ length: 1_000 }, () => stream.push(Buffer.from("a".repeat(100))).toString());
    expect(`${out.join("")}${stream.rest().toString()}`).toBe("[redacted: SAME]");
  });
});
