import { afterEach, expect, test, vi } from "vitest";
import { createContext } from "./context.ts";

afterEach(() => vi.unstubAllGlobals());

/** Replaces what is known about stdout. */
function widthOf(isTTY: boolean, columns: number | undefined): number | undefined {
  vi.stubGlobal("process", { ...process, env: {}, stdin: {}, stderr: {}, cwd: () => "/", stdout: { isTTY, columns } });
  return createContext({}).width;
}

test("context: the width is known on a terminal only", () => {
  expect(widthOf(true, 60)).toBe(60);
  expect(widthOf(false, 60)).toBeUndefined();
  expect(widthOf(false, undefined)).toBeUndefined();
  // Some pseudo-terminals report no size.
  expect(widthOf(true, 0)).toBeUndefined();
});
