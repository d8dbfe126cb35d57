import { styleText } from "node:util";
import type { CliContext } from "../context.ts";

type Style = Parameters<typeof styleText>[0];

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

export function paintStatus(context: Pick<CliContext, "color">, status: string): string {
  return paint(context, STATUS_STYLE[status] ?? "white", status);
}
