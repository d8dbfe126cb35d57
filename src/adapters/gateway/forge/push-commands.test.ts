import { describe, expect, test } from "vitest";
import { formatRefusal, readPushHead, refusePush } from "./push-commands.ts";

const A = "a".repeat(40);
const ZERO = "0".repeat(40);
const allowed = { branch: "agent/report-x1", defaultBranch: "main" };

function packets(...lines: readonly string[]): Buffer {
  const text = lines.map((line) => (line.length + 4).toString(16).padStart(4, "0") + line);
  return Buffer.from(`${text.join("")}0000PACK…`);
}

/** A push of these refs, as git sends it. */
function push(refs: readonly string[], newId = A, capabilities = "report-status side-band-64k"): Buffer {
  return packets(...refs.map((ref, index) => `${ZERO} ${newId} ${ref}${index === 0 ? `\0 ${capabilities}` : ""}\n`));
}

function reasonFor(bytes: Buffer, branches: Parameters<typeof refusePush>[1] = allowed): string | null {
  const head = readPushHead(bytes);
  return typeof head === "string" ? head : refusePush(head, branches);
}

describe("refusePush", () => {
  test("allows the task's branches, and the empty request with which git tests the login", () => {
    expect(reasonFor(push(["refs/heads/agent/report-x1", "refs/heads/agent/report-x1-2"]))).toBeNull();
    expect(reasonFor(Buffer.from("0000"))).toBeNull();
    expect(reasonFor(packets(`shallow ${A}`, `${ZERO} ${A} refs/heads/agent/report-x1\0 report-status`))).toBeNull();
  });

  test.each([
    ["refs/heads/main"],
    ["refs/heads/agent/report-x12"],
    ["refs/heads/agent/report-x1/../../main"],
    ["refs/tags/agent/report-x1"],
    ["refs/heads/AGENT/report-x1"],
    ["HEAD"],
  ])("refuses %s, also next to an allowed branch", (ref) => {
    expect(reasonFor(push([ref]))).toContain("only the branch agent/report-x1");
    expect(reasonFor(push(["refs/heads/agent/report-x1", ref]))).toContain("only the branch");
  });

  test("refuses the default branch even if the task's branch has the same name", () => {
    expect(reasonFor(push(["refs/heads/main"]), { branch: "main", defaultBranch: "main" })).not.toBeNull();
  });

  test("refuses deletions and push options, which could merge", () => {
    expect(reasonFor(push(["refs/heads/agent/report-x1"], ZERO))).toBe("branches cannot be deleted");
    const options = push(["refs/heads/agent/report-x1"], A, "report-status push-options");
    expect(reasonFor(options)).toBe("push options are not allowed");
  });
});

test("push options are found however a hostile client writes them", () => {
  const branch = "refs/heads/agent/report-x1";
  for (const capabilities of ["push-options=1", "report-status\tpush-options", "push-options\0report-status"])
    expect(reasonFor(push([branch], A, capabilities))).toBe("push options are not allowed");
  const first = `${ZERO} ${A} ${branch}\0push-options`;
  expect(reasonFor(packets(first, `${ZERO} ${A} ${branch}-2\0report-status`))).toBe("push options are not allowed");
  expect(reasonFor(packets(`${ZERO} ${A} ${branch}`, `${ZERO} ${A} ${branch}-2\0push-options`))).not.toBeNull();
});

describe("readPushHead", () => {
  test("asks for more until the head is complete", () => {
    const whole = push(["refs/heads/a", "refs/heads/b"]);
    const end = whole.indexOf("0000PACK") + 4;
    for (let size = 0; size < end; size++) expect(readPushHead(whole.subarray(0, size))).toBe("incomplete");
    expect(readPushHead(whole)).toMatchObject({ commands: [{ ref: "refs/heads/a" }, { ref: "refs/heads/b" }] });
  });

  test("refuses signed pushes, other content and heads without an end", () => {
    expect(readPushHead(packets("push-cert\0report-status\n"))).toBe("invalid");
    expect(readPushHead(Buffer.from("GET / HTTP/1.1\r\n"))).toBe("invalid");
    expect(readPushHead(push(Array.from({ length: 1000 }, (_, index) => `refs/heads/${index}`)))).toBe("invalid");
  });
});

test("a refusal is an answer that git understands, with and without a side band", () => {
  const commands = [{ newId: A, ref: "refs/heads/main" }];
  const plain = formatRefusal({ commands, capabilities: [] }, "no").toString();
  expect(plain).toBe("000eunpack ok\n001dng refs/heads/main no\n0000".replace("001d", "001a"));
  expect(formatRefusal({ commands, capabilities: ["side-band-64k"] }, "no").toString()).toBe(`0031\u0001${plain}0000`);
});
