import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startActiveClock } from "../watch/active-clock.ts";
import { openAppendFile } from "./append-file.ts";
import { createLineSplitter } from "./lines.ts";
import { createOutput } from "./output.ts";
import { createLogRenderer, createTranscriptRenderer } from "./render.ts";
import { createTailBuffer } from "./tail-buffer.ts";

const text = (value: string): Buffer => Buffer.from(value);

describe("line splitter", () => {
  test("returns the same lines for any chunk boundaries", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(40)), (input, cuts) => {
        const bytes = text(input);
        const splitter = createLineSplitter(1000);
        const lines: string[] = [];
        let at = 0;
        for (const length of [...cuts, bytes.length]) {
          lines.push(...splitter.push(bytes.subarray(at, at + length)).map((line) => line.text));
          at += length;
        }
        lines.push(...splitter.rest().map((line) => line.text));
        const expected = bytes.toString().split("\n");
        expect(lines).toEqual(expected.at(-1) === "" ? expected.slice(0, -1) : expected);
      }),
    );
  });

  test("splits lines that are too long and marks the parts", () => {
    const splitter = createLineSplitter(4);
    expect(splitter.push(text("abcdefghij\nk"))).toEqual([
      { text: "abcd", isContinued: true },
      { text: "efgh", isContinued: true },
      { text: "ij", isContinued: false },
    ]);
    expect(splitter.rest()).toEqual([{ text: "k", isContinued: false }]);
  });
});

test("tail buffer: keeps at least its capacity of the latest output, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, maxLength: 30 })), (chunks) => {
      const tail = createTailBuffer(50);
      chunks.forEach((chunk, at) => tail.push({ from: at % 2 === 0 ? "stdout" : "stderr", at, chunk: text(chunk) }));
      const frames = tail.frames();
      const kept = frames.map(({ chunk }) => chunk.toString()).join("");
      expect(chunks.join("").endsWith(kept)).toBe(true);
      expect(frames.map(({ at }) => at)).toEqual(chunks.map((_, at) => at).slice(chunks.length - frames.length));
      if (frames.length < chunks.length) expect(Buffer.byteLength(kept) + 13 * frames.length).toBeGreaterThan(50 - 30);
    }),
  );
});

function open(maxBytes: number, createRenderer: Parameters<typeof createOutput>[0]["createRenderer"]) {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-output-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "file");
  const file = openAppendFile(path, () => {});
  const output = createOutput({ file, createRenderer, maxBytes });
  return { output, read: () => (file.close(), readFileSync(path, "utf8")) };
}

describe("command output", () => {
  test("is unchanged below the limit", () => {
    const { output, read } = open(1000, createLogRenderer);
    output.append("stdout", text("a\n"));
    output.append("stderr", text("b"));
    output.finish();
    expect(output.bytes()).toBe(3);
    expect(read()).toBe("a\nb");
  });

  test("does not mix the lines of stdout and stderr", () => {
    const { output, read } = open(1000, () => createTranscriptRenderer("x"));
    output.append("stdout", text("o1 "));
    output.append("stderr", text("e1\n"));
    output.append("stdout", text("o2"));
    output.finish();
    expect(read()).toMatch(/"stderr".*"e1".*\n.*"stdout".*"o1 o2"/);
  });

  test("reports exactly how many bytes were dropped", () => {
    const { output, read } = open(20_000, createLogRenderer);
    for (let number = 0; number < 100_000; number++) output.append("stdout", text(`${String(number).padStart(7)}\n`));
    output.finish();
    const file = read();
    const [, dropped] = /(\d+) bytes of output were dropped here/.exec(file) ?? [];
    const kept = file.replace(/\n\[nightshift\].*\n/, "");
    expect(kept.length + Number(dropped)).toBe(800_000);
    expect(kept.startsWith("      0\n")).toBe(true);
    expect(kept.endsWith("  99999\n")).toBe(true);
    expect(kept.length).toBeLessThan(20_000 + 8_000);
  });

  test("with very short lines does not exceed the limit of the transcript", () => {
    const { output, read } = open(100_000, () => createTranscriptRenderer("x"));
    for (let number = 0; number < 100; number++) output.append("stdout", text("y\n".repeat(10_000)));
    output.finish();
    expect(read().length).toBeLessThan(350_000);
  });
});

test("append file: reports its growth and ignores writes after it is closed", () => {
  const dir = mkdtempSync(join(tmpdir(), "nightshift-append-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const sizes: number[] = [];
  const file = openAppendFile(join(dir, "a"), (size) => sizes.push(size));
  file.write("one\n");
  file.write("two\n");
  file.close();
  file.write("late\n");
  expect(sizes).toEqual([4, 8]);
  expect(readFileSync(join(dir, "a"), "utf8")).toBe("one\ntwo\n");
});

test("active clock: counts neither pauses nor the time that the machine was suspended", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  let paused = false;
  const clock = startActiveClock({ tickMs: 100, isPaused: () => paused, onTick: () => {}, now: () => now });
  const tick = (took: number): void => {
    now += took;
    vi.advanceTimersByTime(100);
  };
  tick(100);
  tick(130);
  expect(clock.elapsed()).toBe(230);
  tick(8 * 3_600_000);
  expect(clock.elapsed()).toBe(330);
  paused = true;
  tick(100);
  paused = false;
  tick(100);
  expect(clock.elapsed()).toBe(430);
  clock.stop();
  tick(100);
  expect(clock.elapsed()).toBe(430);
});
