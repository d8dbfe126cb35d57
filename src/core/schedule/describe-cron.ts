const DAYS = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];
const TIME = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[\d,-]+)$/;

/** A cron expression in words, such as "weekdays at 02:00". Null for one that is better read as it is. */
export function describeCron(expression: string): string | null {
  const found = TIME.exec(expression.trim().replaceAll(/\s+/g, " "));
  const [, minute = "", hour = "", days = ""] = found ?? [];
  const when = found === null ? null : describeDays(days);
  return when === null ? null : `${when} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

function describeDays(field: string): string | null {
  if (field === "*") return "every day";
  const days = listDays(field);
  if (days === null) return null;
  const all = days.join(",");
  if (all === "1,2,3,4,5") return "weekdays";
  if (all === "0,6") return "weekends";
  if (days.length === 7) return "every day";
  return days.map((day) => DAYS[day] ?? "").join(", ");
}

/** The days of a field such as `1-5` or `0,3`, sorted. Sunday is 0 or 7. */
function listDays(field: string): readonly number[] | null {
  const days = new Set<number>();
  for (const part of field.split(",")) {
    const [from = "", to = from, ...rest] = part.split("-");
    const first = Number(from);
    const last = Number(to);
    if (from === "" || to === "" || rest.length > 0 || first > last || last > 7) return null;
    for (let day = first; day <= last; day += 1) days.add(day % 7);
  }
  return [...days].toSorted((a, b) => a - b);
}
