import { expect, test } from "vitest";
import { listKeys } from "../schema/list-keys.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";
import { listWithoutEffect, WITHOUT_EFFECT } from "./without-effect.ts";

test.each(WITHOUT_EFFECT)("keys without effect: %s is accepted in a file", (key) => {
  const path = key.split(".");
  expect(listKeys(REGISTRY.format.schemas.user, path.slice(0, -1))).toContain(path.at(-1));
});

test("keys without effect: those of a file are listed by their full names", () => {
  const text = `
improve: { publish: engine, max_diff_lines: 50 }
notify: { slack: { channel: "#nightshift" } }
checks: { test: { command: npm test } }
`;
  expect(listWithoutEffect(REGISTRY.format.parseProject(text, "n.yaml").written)).toEqual(["notify.slack"]);
  expect(listWithoutEffect({})).toEqual([]);
});
