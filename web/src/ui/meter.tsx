/** How much of a limit is spent and reserved. The numbers stand beside it. */
export function Meter({
  spent,
  reserved = 0,
  limit,
  label,
}: {
  spent: number;
  reserved?: number;
  limit: number;
  label: string;
}) {
  const share = (part: number): string => `${Math.min(100, limit > 0 ? (part / limit) * 100 : 100).toFixed(2)}%`;
  return (
    <div className={spent > limit ? "meter over" : "meter"} role="img" aria-label={label}>
      <i style={{ width: share(spent) }} />
      {reserved > 0 && <i className="r" style={{ width: share(reserved) }} />}
    </div>
  );
}
