import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userName } from "./user-name.ts";

const unknown = (): string => {
  throw new Error("ENOENT: no such file or directory, uv_os_get_passwd");
};

test("the name that the system knows, whatever the environment says", () => {
  expect(userName({ USER: "somebody" })).toBe(userInfo().username);
});

test("a user without an entry has the name of the environment, else a number", () => {
  expect(userName({ USER: "ann" }, unknown)).toBe("ann");
  for (const env of [{}, { USER: "" }]) expect(userName(env, unknown)).toBe(`uid ${process.getuid?.()}`);
});
