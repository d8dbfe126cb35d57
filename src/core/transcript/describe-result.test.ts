import { expect, it } from "vitest";
import { describeResult, shortenText } from "./describe-result.ts";

const describeOutput = (output: string, failed = false) => describeResult({ output, failed, at: "" });

it("a result says how the command ended and how much it printed", () => {
  expect(describeOutput("a\nb\nc")).toBe("3 lines");
  expect(describeOutput("ok")).toBe("ok");
  expect(describeOutput("")).toBe("no output");
  expect(describeOutput("Exit code 1\nboom", true)).toBe("exit 1, 2 lines");
  expect(describeOutput("exit code 0")).toBe("exit 0");
  expect(describeOutput("not allowed", true)).toBe("failed");
  expect(describeOutput("x".repeat(1_000_000))).toBe("1 line");
});

it("a long text is cut, and what is missing is counted", () => {
  const text = `${"x".repeat(5000)}\n${"line\n".repeat(99)}`;
  const short = shortenText(text, { maxLines: 10, maxLine: 100 });
  expect(short.text.split("\n")).toHaveLength(10);
  expect(short).toMatchObject({ hiddenLines: 91, hiddenCharacters: 4900 });
  expect(shortenText("a\nb", { maxLines: 10, maxLine: 10 })).toEqual({
    text: "a\nb",
    hiddenLines: 0,
    hiddenCharacters: 0,
  });
});
