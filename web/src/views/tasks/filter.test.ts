import { expect, it } from "vitest";
import { activeFilters, NO_FILTER, readFilter, toQuery, withoutFilter, writeFilter } from "./filter.ts";

it("the address and the filter contain the same", () => {
  const search = { status: "running,failed", project: "shop", tag: "ci", view: "columns" };
  const filter = readFilter(search);
  expect(filter).toMatchObject({ status: ["running", "failed"], project: "shop", tag: "ci", text: null });
  expect(readFilter(writeFilter(filter))).toEqual(filter);
  expect(activeFilters(filter)).toEqual(["status", "project", "tag"]);
});

it("nonsense in the address is ignored", () => {
  expect(readFilter({ status: "sleeping,<script>", text: "  " })).toEqual(NO_FILTER);
  expect(readFilter({ text: "x".repeat(5000) }).text).toHaveLength(200);
});

it("a removed filter is neither in the address nor in the request", () => {
  const filter = readFilter({ status: "failed", text: "search" });
  expect(activeFilters(withoutFilter(filter, "status"))).toEqual(["text"]);
  expect(toQuery(withoutFilter(filter, "text"))).toEqual({});
});
