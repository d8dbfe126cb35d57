import { styleText } from "node:util";
import type { CliContext } from "../../context.ts";

export type Style = Parameters<typeof styleText>[0];

/** What the output is made for: with or without colours, and the width of the terminal. */
export type Screen = Pick<CliContext, "color" | "width">;

export function paint({ color }: Pick<CliContext, "color">, style: Style, text: string): string {
  return color ? styleText(style, text, { validateStream: false }) : text;
}

const STATUS_STYLE: Readonly<Record<string, Style>> = {
  queued: "gray",
  running: "cyan",
  waiting: "yellow",
  paused: "yellow",
  succeeded: "green",
  failed: "red",
  cancelled: "gray",
};

export function styleOfStatus(status: string): Style {
  return STATUS_STYLE[status] ?? "white";
}

export function paintStatus(context: Pick<CliContext, "color">, status: string): string {
  return paint(context, styleOfStatus(status), status);
}
