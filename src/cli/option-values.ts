import { InvalidArgumentError } from "commander";
import { COST_DIMENSIONS, type CostDimension } from "../core/money/cost-dimensions.ts";

// Each function reads the value of an option.

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(value);
}

export function positiveNumber(value: string): number {
  if (wholeNumber(value) === 0) throw new InvalidArgumentError("Expected a whole number of at least 1.");
  return Number(value);
}

export function port(value: string): number {
  if (wholeNumber(value) > 65_535) throw new InvalidArgumentError("Expected a port from 0 to 65535.");
  return Number(value);
}

export function money(value: string): number {
  if (!/^\d+(\.\d+)?$/.test(value)) throw new InvalidArgumentError("Expected an amount in USD, such as 2.50.");
  return Number(value);
}

export function costDimensions(value: string): readonly CostDimension[] {
  const words = value.split(",").map((word) => word.trim());
  const known = COST_DIMENSIONS.filter((dimension) => words.includes(dimension));
  if (known.length === 0 || words.some((word) => !known.some((dimension) => dimension === word)))
    throw new InvalidArgumentError(`Expected one or more of ${COST_DIMENSIONS.join(", ")}, separated by commas.`);
  return known.toSorted((a, b) => words.indexOf(a) - words.indexOf(b));
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
