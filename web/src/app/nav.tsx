import { Link } from "@tanstack/react-router";
import { ChartNoAxesColumn, Bot, CalendarClock, FolderGit2, Inbox, List, Settings2, Sunrise } from "lucide-react";
import type { ComponentType, ReactNode } from "react";
import { useApi } from "../api/queries.ts";
import { Glyph } from "../ui/glyph.tsx";
import { useWaitingCount } from "./title.ts";

export interface Place {
  readonly to: "/" | "/inbox" | "/tasks" | "/costs" | "/agents" | "/schedules" | "/settings" | "/new";
  readonly label: string;
  readonly keys: string;
  readonly icon: ComponentType<{ size?: number; strokeWidth?: number; "aria-hidden"?: boolean }>;
}

export const PLACES: readonly Place[] = [
  { to: "/", label: "Morning", keys: "g m", icon: Sunrise },
  { to: "/inbox", label: "Inbox", keys: "g i", icon: Inbox },
  { to: "/tasks", label: "Tasks", keys: "g t", icon: List },
  { to: "/costs", label: "Costs and quality", keys: "g c", icon: ChartNoAxesColumn },
];

export const SETUP: readonly Place[] = [
  { to: "/agents", label: "Agents", keys: "g a", icon: Bot },
  { to: "/schedules", label: "Schedules", keys: "g s", icon: CalendarClock },
  { to: "/settings", label: "Settings", keys: "g ,", icon: Settings2 },
];

const ACTIVE = { activeProps: { "aria-current": "page" as const }, activeOptions: { exact: false } };

export function PlaceLink({ place }: { place: Place }) {
  const Icon = place.icon;
  return (
    <Link className="nav" to={place.to} title={place.label} {...ACTIVE} activeOptions={{ exact: place.to === "/" }}>
      <Icon size={16} strokeWidth={1.75} aria-hidden />
      <span className="nav-label">{place.label}</span>
      {place.to === "/inbox" && <WaitingBadge className="count you" />}
    </Link>
  );
}

export function WaitingBadge({ className }: { className: string }) {
  const waiting = useWaitingCount();
  if (waiting === 0) return null;
  return (
    <span className={className}>
      {waiting}
      <span className="sr"> waiting for you</span>
    </span>
  );
}

export function ProjectLinks() {
  const projects = useApi("GET /projects").data?.projects ?? [];
  const running = useApi("GET /runs", { query: { status: "running" } }).data?.runs ?? [];
  if (projects.length === 0) return null;
  return (
    <>
      <h2>Projects</h2>
      {projects.map(({ name }) => {
        const count = running.filter(({ project }) => project === name).length;
        return (
          <Link className="nav" key={name} to="/projects/$name" params={{ name }} title={name} {...ACTIVE}>
            <FolderGit2 size={16} strokeWidth={1.75} aria-hidden />
            <span className="nav-label clip" dir="auto">
              {name}
            </span>
            {count > 0 && (
              <span className="count">
                <Glyph name="running" label={`${count} running`} />
              </span>
            )}
          </Link>
        );
      })}
    </>
  );
}

/** What runs now, and what comes next. */
export function FootFacts({ children }: { children?: ReactNode }) {
  const running = useApi("GET /status").data?.tasks.running ?? 0;
  const next = useApi("GET /schedules").data?.runs[0];
  return (
    <div className="foot">
      {running > 0 && (
        <div className="flex">
          <Glyph name="running" />
          <span>{running} running</span>
        </div>
      )}
      {next?.at != null && <NextRun name={next.name} at={next.at} />}
      {children}
    </div>
  );
}

function NextRun({ name, at }: { name: string; at: string }) {
  const time = new Date(at).toLocaleString("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
  return (
    <div className="flex">
      <CalendarClock size={14} aria-hidden />
      <span className="clip">
        Next: {name}, {time.replace(",", "")}
      </span>
    </div>
  );
}
