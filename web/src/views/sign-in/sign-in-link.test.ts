import { expect, it } from "vitest";
import { readLink } from "./sign-in-link.ts";

const read = (address: string) => readLink(new URL(address));

it("readLink finds the code behind the # and the page to show", () => {
  expect(read("http://127.0.0.1:4816/sign-in?next=%2Ftasks%2Ftask_1#a-code")).toEqual({
    code: "a-code",
    next: "/tasks/task_1",
    isLocal: true,
    isSignedOut: false,
  });
});

it.each(["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)"])(
  "readLink shows the first page instead of %s",
  (next) => expect(read(`http://127.0.0.1:4816/sign-in?next=${encodeURIComponent(next)}#a`).next).toBe("/"),
);

it.each([
  ["http://localhost:4816/sign-in", true],
  ["http://[::1]:4816/sign-in", true],
  ["https://night.example.com/sign-in", false],
  ["https://localhost.example.com/sign-in", false],
])("readLink: %s is local: %s", (address, isLocal) => expect(read(address).isLocal).toBe(isLocal));
