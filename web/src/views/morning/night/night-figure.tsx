import { useId, useState } from "react";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { TableToggle } from "../../../ui/table-toggle.tsx";
import { useNow } from "../../../ui/use-now.ts";
import { type Lane, layoutNight, type NightFacts, type NightLine } from "./night-line.ts";
import { NightTable } from "./night-table.tsx";
import { clock, describeNight, gapWords } from "./night-words.ts";

const percent = (value: number): string => `${value}%`;

export interface NightFigureProps {
  readonly report: ReportJson;
  /** The report reaches to the present. */
  readonly isCurrent: boolean;
}

/** The night, hour by hour: when runs worked, when nothing could run and why, and where a task stopped for a person. */
export function NightFigure({ report, isCurrent }: NightFigureProps) {
  const minute = useNow();
  const [isTable, setTable] = useState(false);
  const tableId = useId();
  const until = Date.parse(report.until);
  const line = layoutNight({
    spans: report.spans,
    gaps: report.gaps.map((gap) => ({ ...gap, reason: gapWords(gap) })),
    since: Date.parse(report.since),
    until,
    now: isCurrent ? Math.max(minute, until) : null,
    stops: isCurrent ? listStops(report) : [],
  });
  return (
    <>
      <figure className="night" role="group" aria-label="The night, hour by hour">
        <div className="names" aria-hidden="true" style={rowsOf(line.lanes)}>
          {line.lanes.map(({ name }) => (
            <span key={name} dir="auto" title={name}>
              <span className="clip">{name}</span>
            </span>
          ))}
        </div>
        <NightPlot line={line} label={describeNight(report)} zone={report.time_zone} now={Math.max(minute, until)} />
      </figure>
      {report.spans.length > 0 && (
        <div className="night-more">
          <TableToggle isOpen={isTable} controls={tableId} onChange={setTable} />
        </div>
      )}
      <div id={tableId} hidden={!isTable}>
        {isTable && <NightTable report={report} />}
      </div>
    </>
  );
}

/** Only tasks that still wait: what was decided since is no longer the person's turn. */
function listStops({ sections }: ReportJson): NightFacts["stops"] {
  return [...sections.decide.tasks, ...sections.review.tasks].flatMap(({ id, project, waiting_since: since }) =>
    since === null ? [] : [{ task: id, project, at: Date.parse(since) }],
  );
}

interface NightPlotProps {
  readonly line: NightLine;
  readonly label: string;
  readonly zone: string;
  readonly now: number;
}

export function NightPlot({ line, label, zone, now }: NightPlotProps) {
  return (
    <div className="plot" dir="ltr" role="img" aria-label={label}>
      <div className="lanes" style={rowsOf(line.lanes)}>
        {line.gaps.map((gap) => (
          <div
            className="gap"
            key={`${gap.reason} ${gap.left}`}
            style={{ left: percent(gap.left), width: percent(gap.width) }}
            title={gap.reason}
          >
            {gap.isLabelled && <span>{gap.reason}</span>}
          </div>
        ))}
        {line.lanes.map((lane) => (
          <NightLane lane={lane} key={lane.name} />
        ))}
        {line.lanes.length === 0 && <div className="lane" />}
      </div>
      <div className="axis">
        {line.ticks.map(({ at, left, label: shown }) => (
          <span key={at}>
            <i style={{ left: percent(left) }} />
            {shown !== "none" && (
              <b
                className={shown === "wide" ? "opt" : undefined}
                style={{ left: percent(left) }}
                data-first={left === 0}
              >
                {clock(at, zone)}
              </b>
            )}
          </span>
        ))}
        {line.dawn !== null && <span className="dawn" style={{ left: percent(line.dawn), right: 0 }} />}
      </div>
      {line.now !== null && (
        <div className="now" style={{ left: percent(line.now) }}>
          <span data-late={line.now > 90}>now {clock(now, zone)}</span>
        </div>
      )}
    </div>
  );
}

const LOOKS = { agent: "bar", engine: "bar engine", failed: "bar failed", running: "bar running" } as const;

const LANE_HEIGHT = 22;
const TRACK_HEIGHT = 11;

/** A lane with more than one track is higher. */
function heightOf({ tracks }: Lane): number {
  return LANE_HEIGHT + (tracks - 1) * TRACK_HEIGHT;
}

function rowsOf(lanes: readonly Lane[]): { readonly gridTemplateRows: string } {
  return { gridTemplateRows: lanes.map((lane) => `${heightOf(lane)}px`).join(" ") };
}

function NightLane({ lane: { bars, stops } }: { lane: Lane }) {
  return (
    <div className="lane">
      {bars.map(({ run, left, width, look, track }) => (
        <i
          className={LOOKS[look]}
          key={run}
          style={{ left: percent(left), width: percent(width), marginTop: track * TRACK_HEIGHT }}
        />
      ))}
      {stops.map(({ task, left, track }) => (
        <span className="you" key={task} style={{ left: percent(left), marginTop: track * TRACK_HEIGHT }} />
      ))}
    </div>
  );
}
