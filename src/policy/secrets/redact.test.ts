import fc from "fast-check";
import { terminalText } from "../../core/text/terminal-text.ts";
import { HIDDEN_CHARACTERS, hiddenIn } from "../../testing/hidden-text.ts";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redact.ts";

const VALUE = "correct+horse/battery staple?&=1";
const { redact, redactValue } = createRedactor([{ name: "API_TOKEN", value: VALUE }]);
const MARK = "[redacted: API_TOKEN]";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const hex = (text: string): string => Buffer.from(text).toString("hex");

describe("redact", () => {
  it("replaces every occurrence of a value by its name", () => {
    expect(redact(`a ${VALUE} b${VALUE}${VALUE}c`)).toBe(`a ${MARK} b${MARK}${MARK}c`);
  });

  it("leaves a text without secrets unchanged", () => {
    expect(redact("nothing to see")).toBe("nothing to see");
    expect(redact(VALUE.slice(0, -1))).toBe(VALUE.slice(0, -1));
    expect(createRedactor([]).redact(VALUE)).toBe(VALUE);
  });

  it.each([
    ["base64", base64(VALUE)],
    ["base64 without padding", base64(VALUE).replace(/=+$/, "")],
    ["base64 of url alphabet", base64url(VALUE)],
    ["hex", hex(VALUE)],
    ["upper-case hex", hex(VALUE).toUpperCase()],
    ["hex in a longer hex text", `00ff${hex(VALUE)}ab`],
    ["a URL component", encodeURIComponent(VALUE)],
    ["a URL", encodeURI(VALUE)],
    ["a form", new URLSearchParams({ q: VALUE }).toString().slice(2)],
    ["a URL with every byte encoded", hex(VALUE).replace(/../g, "%$&")],
    ["a URL with one letter encoded", VALUE.replace("h", "%68")],
    ["a URL with letters encoded here and there", VALUE.replaceAll("t", "%74").replace("?", "%3f").replace("c", "%63")],
  ])("finds a value as %s", (_, text) => {
    const cleaned = redact(`before ${text} after`);
    expect(cleaned).toMatch(/^before .*\[redacted: API_TOKEN\].* after$/);
    // At most the characters at the ends of base64 that contain bits of the neighbours, and the padding, may remain.
    expect(cleaned.replace(MARK, "").length).toBeLessThanOrEqual("before  after".length + 10);
  });

  it.each(["", "x", "xy", "xyz", "user:", "Authorization: Basic of "])(
    "finds a value in base64 of a longer text: %j",
    (head) => {
      for (const tail of ["", "\n", "ab", "abc"])
        for (const encode of [base64, base64url]) {
          const cleaned = redact(encode(head + VALUE + tail));
          expect(cleaned).toContain(MARK);
          expect(Buffer.from(cleaned.replace(MARK, ""), "base64").toString("latin1")).not.toContain("horse");
        }
    },
  );

  it("finds base64 and hex that are wrapped into lines, also within JSON", () => {
    const long = "k".repeat(30) + VALUE.repeat(3);
    const redactor = createRedactor([{ name: "LONG", value: long }]);
    for (const width of [60, 64, 76])
      for (const lineBreak of ["\n", "\r\n", "\n  ", String.raw`\n`, String.raw`\r\n`])
        for (const encoded of [base64(`some words in front ${long} and behind`), hex(long)]) {
          const wrapped = encoded.replace(new RegExp(`.{${width}}`, "g"), `$&${lineBreak}`);
          const cleaned = redactor.redact(wrapped);
          expect(cleaned, `${width} ${JSON.stringify(lineBreak)}`).toContain("[redacted: LONG]");
          expect(cleaned.length).toBeLessThan(100);
        }
  });

  it("finds a value in JSON, and in JSON within JSON", () => {
    const value = 'a"quoted\\path/with\nlines\u00e9';
    const redactor = createRedactor([{ name: "ODD", value }]);
    const once = JSON.stringify({ value });
    for (const text of [value, once, JSON.stringify({ once }), once.replaceAll("/", String.raw`\/`)])
      expect(redactor.redact(text)).toMatch(/\[redacted: ODD\]/);
    expect(redactor.redact(once.replace("\u00e9", String.raw`\u00e9`))).toBe('{"value":"[redacted: ODD]"}');
    expect(JSON.parse(redactor.redact(once))).toEqual({ value: "[redacted: ODD]" });
  });

  it("prefers the longest of values with the same prefix", () => {
    const redactor = createRedactor([
      { name: "SHORT", value: "abcdefgh" },
      { name: "LONG", value: "abcdefghijkl" },
    ]);
    expect(redactor.redact("abcdefghijkl abcdefghij")).toBe("[redacted: LONG] [redacted: SHORT]ij");
  });

  it("removes overlapping values completely", () => {
    const redactor = createRedactor([
      { name: "LEFT", value: "abcdefgh" },
      { name: "RIGHT", value: "defghijklm" },
    ]);
    expect(redactor.redact("<abcdefghijklm>")).toBe("<[redacted: RIGHT]>");
  });

  it("redacts common words, but nothing shorter than eight characters", () => {
    const redactor = createRedactor([
      { name: "WORD", value: "password" },
      { name: "SHORT", value: "pass123" },
    ]);
    expect(redactor.redact("password pass123")).toBe("[redacted: WORD] pass123");
  });

  it("finds each line of a private key, but not its header and footer", () => {
    const lines = ["MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB"];
    const value = ["-----BEGIN PRIVATE KEY-----", ...lines, "short==", "-----END PRIVATE KEY-----", ""].join("\n");
    const redactor = createRedactor([{ name: "KEY", value }]);
    expect(redactor.redact(value)).toBe("[redacted: KEY]\n");
    expect(redactor.redact(`  ${lines[1]} # -----BEGIN PRIVATE KEY-----`)).toBe(
      "  [redacted: KEY] # -----BEGIN PRIVATE KEY-----",
    );
    expect(redactor.redact("short==")).toBe("short==");
  });

  it("ignores whitespace around a value and makes names safe", () => {
    const redactor = createRedactor([{ name: 'A "B"\n', value: "  abcdefgh\n" }]);
    expect(redactor.redact('{"a":"abcdefgh"}')).toBe('{"a":"[redacted: A__B__]"}');
  });

  it("lets no value through in any surrounding text", () => {
    const text = fc.string({ maxLength: 60 });
    const values = fc.array(
      fc.string({ minLength: 8, maxLength: 30 }).filter((value) => value.trim().length >= 8),
      {
        minLength: 1,
        maxLength: 5,
      },
    );
    fc.assert(
      fc.property(values, text, text, (given, before, after) => {
        const redactor = createRedactor(given.map((value, index) => ({ name: String(index), value })));
        for (const value of given.map((each) => each.trim())) {
          const cleaned = redactor.redact(before + value + after);
          fc.pre(!/\[redacted: \d\]/.test(before + value + after) && !"[redacted: 0]".includes(value));
          expect(cleaned).toMatch(/\[redacted: \d\]/);
          expect(redactor.redact(encodeURIComponent(value) + after)).toMatch(/\[redacted: \d\]/);
          expect(redactor.redact(Buffer.from(value).toString("base64"))).toMatch(/\[redacted: \d\]/);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("lets no value through that is shown plain once invisible characters are removed", () => {
    const secret = "s3cret-value-of-ours";
    const redactor = createRedactor([{ name: "TOKEN", value: secret }]);
    fc.assert(
      fc.property(hiddenIn(secret), fc.boolean(), (text, isJson) => {
        fc.pre(terminalText(text).includes(secret));
        const stored = isJson ? JSON.stringify({ text }) : text;
        const cleaned = redactor.redact(stored);
        const shown = isJson ? (JSON.parse(cleaned) as { text: string }).text : cleaned;
        expect(terminalText(shown)).not.toContain(secret);
        expect(shown).toContain("[redacted: TOKEN]");
      }),
      { numRuns: 500 },
    );
  });

  it("finds a value with any character inside that a terminal does not show, plain or as JSON", () => {
    expect(HIDDEN_CHARACTERS.length).toBeGreaterThan(4000);
    const missed = HIDDEN_CHARACTERS.filter((hidden) => {
      const text = `is correct+horse/${hidden}battery staple?&=1`;
      return redact(text) !== `is ${MARK}` || redact(JSON.stringify(text)) !== `"is ${MARK}"`;
    });
    expect(missed.map((hidden) => hidden.codePointAt(0)?.toString(16))).toEqual([]);
  });

  it.each([
    ["all characters", /[^]/g],
    ["one character", /c/],
    ["every second character", /([^])(?=[^]([^]{2})*$)/g],
  ])("finds a value whose JSON has escapes for %s", (_, escaped) => {
    const lower = VALUE.replace(escaped, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
    for (const text of [lower, lower.replace(/\\u[0-9a-f]{4}/g, (found) => `\\u${found.slice(2).toUpperCase()}`)]) {
      expect(JSON.parse(`"${text}"`)).toBe(VALUE);
      expect(redact(`{"text":"is ${text}."}`)).toBe(`{"text":"is ${MARK}."}`);
    }
  });

  it("is fast with many secrets", () => {
    const secrets = Array.from({ length: 50 }, (_, index) => ({
      name: `S${index}`,
      value: hex(`${index} some value of a usual length`).slice(0, 20 + index),
    }));
    const redactor = createRedactor(secrets);
    const line = `{"type":"text","text":"const answer = compute(40, 2); // see src/core/answer.ts\\n"}\n`;
    const text = line.repeat(5_000_000 / line.length) + (secrets[7]?.value ?? "");
    const started = process.cpuUsage();
    expect(redactor.redact(text).endsWith("[redacted: S7]")).toBe(true);
    // A tenth of a transcript of 50 MB. The limit is ten times the processor time on an idle machine.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(500);
  });
});

describe("redactValue", () => {
  it("keeps the shape and cleans texts and keys at any depth", () => {
    const value = { list: [1, null, true, { [`key ${VALUE}`]: VALUE }], text: "as it is", none: undefined };
    expect(redactValue(value)).toEqual({
      list: [1, null, true, { [`key ${MARK}`]: MARK }],
      text: "as it is",
      none: undefined,
    });
  });

  it("returns values without secrets unchanged", () => {
    const value = { a: [{ b: "c" }] };
    expect(redactValue(value)).toBe(value);
  });

  it("does not set a prototype through a key", () => {
    const value: unknown = JSON.parse(`{"__proto__": {"x": ${JSON.stringify(VALUE)}}}`);
    expect(JSON.stringify(redactValue(value))).toBe(`{"__proto__":{"x":"${MARK}"}}`);
  });

  it("handles nesting that is meant to overflow the stack", () => {
    let deep: unknown = VALUE;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(JSON.stringify(redactValue(deep))).not.toContain("horse");
  });
});
