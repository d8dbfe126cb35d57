import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { plural } from "../../../ui/format.ts";

/** "21:14" in the time zone of the daemon, whose nights these are. */
export function clock(at: number | string, timeZone: string): string {
  return new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
}

/** A stopped daemon is recorded with its process id, which helps only in a log. */
export function gapWords({ kind, reason }: Pick<ReportJson["gaps"][number], "kind" | "reason">): string {
  return kind === "daemon" ? "Nightshift was stopped" : reason.replace(/\.$/, "");
}

/** The night line in sentences, for people who cannot see it. */
export function describeNight({
  spans,
  gaps,
  time_zone: zone,
}: Pick<ReportJson, "spans" | "gaps" | "time_zone">): string {
  const running = spans.filter(({ to }) => to === null).length;
  return [
    describeWork(spans, zone),
    ...gaps.map((gap) => {
      const from = clock(gap.from, zone);
      return `${gapWords(gap)}, ${gap.to === null ? `since ${from}` : `${from} to ${clock(gap.to, zone)}`}.`;
    }),
    ...(running > 0 ? [`${plural(running, "run is", "runs are")} still going.`] : []),
  ].join(" ");
}

function describeWork(spans: ReportJson["spans"], zone: string): string {
  const [first] = spans.map(({ from }) => from).toSorted();
  if (first === undefined) return "Nothing ran.";
  const last = spans
    .flatMap(({ to }) => to ?? [])
    .toSorted()
    .at(-1);
  const tasks = plural(new Set(spans.map(({ task }) => task)).size, "task");
  const projects = plural(new Set(spans.map(({ project }) => project)).size, "project");
  const when =
    last === undefined ? `Since ${clock(first, zone)}` : `Between ${clock(first, zone)} and ${clock(last, zone)}`;
  return `${when}, agents and checks ran for ${tasks} in ${projects}.`;
}
