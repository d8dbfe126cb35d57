import { describe, expect, it } from "vitest";
import { createStuckDetector, DEFAULT_STUCK_LIMITS, type StuckDetector } from "./detect-stuck.ts";

const MINUTE = 60_000;

/** Feeds a detector with tool calls, ten seconds apart. */
function session(mustEdit = true, limits = DEFAULT_STUCK_LIMITS) {
  const detector: StuckDetector = createStuckDetector(limits, mustEdit);
  let at = 0;
  let calls = 0;
  const call = (name: string, input: unknown, output: string, afterMs = 10_000): void => {
    const id = `call-${(calls += 1)}`;
    at += afterMs;
    detector.push({ type: "tool_call", id, name, input }, at);
    detector.push({ type: "tool_result", id, output, failed: false }, at);
  };
  const edit = (): void => detector.push({ type: "file_change", path: "a.ts", change: "modified" }, at);
  return { detector, call, edit };
}
const times = (count: number, act: (index: number) => void): void => {
  for (let index = 0; index < count; index += 1) act(index);
};

describe("stuck: an agent that repeats itself", () => {
  it("is found after 20 equal calls with equal results, not after 19", () => {
    const { detector, call } = session();
    times(19, () => call("Bash", { command: "npm test" }, "1 failed"));
    expect(detector.finding()).toBeNull();
    call("Bash", { command: "npm test" }, "1 failed");
    expect(detector.finding()).toBe(
      'It made the same tool call 20 times with the same result, and nothing new in between: Bash {"command":"npm test"}',
    );
  });

  it("is found in a cycle of several calls, and for read-only roles too", () => {
    const { detector, call } = session(false);
    times(60, (index) => call("Read", { file: `${index % 3}.ts` }, "text"));
    expect(detector.finding()).toMatch(/^It made the same tool call 20 times/);
  });

  it.each<[string, (session_: ReturnType<typeof session>) => void]>([
    [
      "polls with changing output",
      ({ call }) => times(300, (index) => call("Bash", { command: "cat build.log" }, `${index}% done`)),
    ],
    [
      "edits between equal test results",
      ({ call, edit }) =>
        times(300, () => {
          edit();
          call("Bash", { command: "npm test" }, "1 failed");
        }),
    ],
    [
      "edits with the shell between equal test results",
      ({ call }) =>
        times(300, (index) => {
          call("Bash", { command: `sed -i s/${index}/${index + 1}/ a.ts` }, "");
          call("Bash", { command: "npm test" }, "1 failed");
        }),
    ],
    [
      "reads the same files again after its context was compacted",
      ({ call, edit }) =>
        times(10, () => {
          times(15, (index) => call("Read", { file: `${index}.ts` }, "text"));
          edit();
        }),
    ],
    [
      "watches tests that take long",
      ({ call }) => times(19, () => call("BashOutput", { id: "watch" }, "", 5 * MINUTE)),
    ],
  ])("is not confused with one that %s", (_what, play) => {
    const current = session();
    play(current);
    expect(current.detector.finding()).toBeNull();
  });
});

describe("stuck: an agent that must change files", () => {
  it("is found after 20 minutes of reading, and an edit starts the time again", () => {
    const { detector, call, edit } = session();
    times(119, (index) => call("Read", { file: `${index}.ts` }, "text"));
    edit();
    times(119, (index) => call("Read", { file: `more/${index}.ts` }, "text"));
    expect(detector.finding()).toBeNull();
    times(2, (index) => call("Read", { file: `last/${index}.ts` }, "text"));
    expect(detector.finding()).toBe("It worked for 20 minutes without changing a file.");
  });

  it("is found after 100,000 tokens without an edit", () => {
    const { detector, edit } = session();
    detector.addTokens(99_999);
    edit();
    detector.addTokens(99_999);
    expect(detector.finding()).toBeNull();
    detector.addTokens(1);
    expect(detector.finding()).toBe("Its model wrote 100000 tokens without changing a file.");
  });

  it("is not blamed for the time of a pause or of one slow command", () => {
    const { detector, call } = session();
    times(5, (index) => call("Read", { file: `${index}.ts` }, "text", 60 * MINUTE));
    expect(detector.finding()).toBeNull();
  });

  it("other roles may read and think as long as they want", () => {
    const { detector, call } = session(false);
    times(1_000, (index) => call("Read", { file: `${index}.ts` }, "text"));
    detector.addTokens(10_000_000);
    expect(detector.finding()).toBeNull();
  });
});
