import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { userName } from "./wire/wire.ts";

const unknown = (): string => {
  throw new Error("ENOENT: no such file or directory, uv_os_get_passwd");
};

test("userName: the system's name wins over the environment", () => {
  expect(userName({ USER: "somebody" })).toBe(userInfo().username);
});

test("userName: a user unknown to the system gets the name in $USER, or else the user ID", () => {
  expect(userName({ USER: "ann" }, unknown)).toBe("ann");
  for (const env of [{}, { USER: "" }]) expect(userName(env, unknown)).toBe(`uid ${process.getuid?.()}`);
});
