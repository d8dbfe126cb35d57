import { formatDay, formatMoney } from "../../../ui/format.ts";
import { chooseScale, type DayCosts, type Division, type StackedCosts } from "./stack-costs.ts";

const HEIGHT = 172;
const BASE = 150;
const TOP = 14;
const LEFT = 44;
const GAP = 1;

interface CostChartProps {
  readonly costs: StackedCosts;
  readonly by: Division;
  readonly width: number;
}

/** Bars for the costs of each day, divided into series. Drawn at its width in pixels, so that its text keeps its size. */
export function CostChart({ costs: { days }, by, width }: CostChartProps) {
  const lines = chooseScale(Math.max(0, ...days.map(({ usd }) => usd)));
  const most = lines.at(-1) ?? 1;
  const y = (usd: number): number => BASE - (usd / most) * (BASE - TOP);
  const step = (width - LEFT) / Math.max(1, days.length);
  const every = Math.max(1, Math.ceil(64 / step));
  return (
    <svg className="chart" viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={describeChart(days, by)}>
      {lines.map((usd) => (
        <g key={usd}>
          <line className={usd === 0 ? "axisl" : "grid"} x1={LEFT} x2={width} y1={y(usd)} y2={y(usd)} />
          <text x={LEFT - 8} y={y(usd) + 4} textAnchor="end">
            ${usd.toFixed(usd === 0 || lines.every(Number.isInteger) ? 0 : 2)}
          </text>
        </g>
      ))}
      {days.map((day, index) => (
        <g key={day.day}>
          <Bar day={day} x={LEFT + index * step + step * 0.1} width={step * 0.8} y={y} />
          {index % every === 0 && (
            <text x={LEFT + (index + 0.5) * step} y={HEIGHT - 6} textAnchor="middle">
              {formatDay(day.day, "UTC")}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

interface BarProps {
  readonly day: DayCosts;
  readonly x: number;
  readonly width: number;
  readonly y: (usd: number) => number;
}

function Bar({ day: { parts }, x, width, y }: BarProps) {
  return parts.map((usd, index) => {
    const below = parts.slice(0, index).reduce((sum, part) => sum + part, 0);
    const height = y(below) - y(below + usd) - GAP;
    if (height <= 0) return null;
    // The series of a chart keep their places.
    return <rect key={index} className={`s${index + 1}`} x={x} width={width} y={y(below + usd)} height={height} />;
  });
}

function describeChart(days: readonly DayCosts[], by: Division): string {
  const [first, last] = [days[0], days.at(-1)];
  const highest = days.reduce<DayCosts | null>((best, day) => (best === null || day.usd > best.usd ? day : best), null);
  if (first === undefined || last === undefined || highest === null) return "No costs.";
  const period = `${formatDay(first.day, "UTC")} to ${formatDay(last.day, "UTC")}`;
  return `Cost by day and ${by}, ${period}. Highest: ${formatDay(highest.day, "UTC")}, ${formatMoney(highest.usd)}.`;
}
