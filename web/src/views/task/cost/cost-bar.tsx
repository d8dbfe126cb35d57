import { formatMoney } from "../../../ui/format.ts";
import type { RoleShare } from "./sum-runs.ts";

const COLORS = ["var(--c1)", "var(--c2)", "var(--c4)", "var(--c3)"] as const;
const WIDTH = 1000;
const GAP = 2;

/** The known costs by role, as parts of the limit or of the whole. The table below has the same numbers. */
export function CostBar({ shares, limit }: { shares: readonly RoleShare[]; limit: number | null }) {
  const total = shares.reduce((sum, { usd }) => sum + usd, 0);
  if (total === 0) return null;
  const whole = Math.max(total, limit ?? 0);
  const parts = shares.map((share, index) => {
    const before = shares.slice(0, index).reduce((sum, { usd }) => sum + usd, 0);
    const color = COLORS[Math.min(index, COLORS.length - 1)] ?? COLORS[0];
    return { ...share, x: (before / whole) * WIDTH, width: (share.usd / whole) * WIDTH, color };
  });
  const sentence = parts.map(({ role, usd }) => `${role} ${formatMoney(usd)}`).join(", ");
  return (
    <>
      <svg className="cost-bar" viewBox={`0 0 ${WIDTH} 14`} preserveAspectRatio="none" role="img" aria-label={sentence}>
        <rect width={WIDTH} height="14" rx="2" fill="var(--bg-active)" />
        {parts.map(({ role, x, width, color }) => (
          <rect key={role} x={x} width={Math.max(1, width - GAP)} height="14" fill={color} />
        ))}
      </svg>
      <div className="legend">
        {parts.map(({ role, usd, color }) => (
          <span key={role}>
            <i style={{ background: color }} />
            {role} {formatMoney(usd)}
          </span>
        ))}
      </div>
    </>
  );
}
