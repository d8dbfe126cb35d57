import { expect, it } from "vitest";
import { UserError } from "../../core/text/errors.ts";
import { failureOf } from "./explain-error.ts";

it("the outcome of a failed step does not contain the password of an address in the error or its hint", () => {
  const address = "https://bob:hunter2@model.example";
  const { summary } = failureOf(new UserError("invalid", `Cannot use ${address}.`, `Check ${address}.`), "/home/x");
  expect(summary).toBe("Cannot use https://model.example. Check https://model.example.");
});
