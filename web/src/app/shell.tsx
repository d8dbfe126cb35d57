import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { Ellipsis, Plus, Search } from "lucide-react";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { Key } from "../ui/button.tsx";
import { Mark } from "../ui/glyph.tsx";
import { Toasts } from "../ui/toast.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { FootFacts, type Place, PLACES, PlaceLink, ProjectLinks, SETUP, WaitingBadge } from "./nav.tsx";
import { useShortcut } from "./shortcuts.ts";
import { ThemeSwitch } from "./theme-switch.tsx";
import { useWaitingCount } from "./title.ts";

const loadPalette = () => import("../views/palette/palette.tsx").then(({ Palette: view }) => ({ default: view }));
const Palette = lazy(loadPalette);
const KeyHelp = lazy(() => import("../views/palette/key-help.tsx").then(({ KeyHelp: view }) => ({ default: view })));

const MOD = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";
const PRELOAD_MS = 300;
const PHONE_PLACES = PLACES.slice(0, 3);

/** The frame around every view. */
export function Shell() {
  const [overlay, setOverlay] = useState<"palette" | "keys" | null>(null);
  const navigate = useNavigate();
  useShortcut({ keys: "mod+k", label: "Search or do something", run: () => setOverlay("palette") });
  useShortcut({ keys: "?", label: "Show the keys", run: () => setOverlay("keys") });
  useShortcut({ keys: "c", label: "New task", run: () => void navigate({ to: "/new" }) });
  // People type right after opening it, so it is loaded before.
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), PRELOAD_MS);
    return () => clearTimeout(timer);
  }, []);
  const close = useCallback(() => setOverlay(null), []);
  return (
    <>
      <a className="skip btn" href="#main">
        Skip to content
      </a>
      {[...PLACES, ...SETUP].map((place) => (
        <PlaceShortcut key={place.to} place={place} />
      ))}
      <ConnectionBanner />
      <div className="app">
        <Sidebar onSearch={() => setOverlay("palette")} />
        <TopBar onSearch={() => setOverlay("palette")} />
        <main className="main" id="main" tabIndex={-1}>
          <Outlet />
        </main>
        <TabBar />
      </div>
      <Toasts />
      <Suspense>
        {overlay === "palette" && <Palette onClose={close} onKeys={() => setOverlay("keys")} />}
        {overlay === "keys" && <KeyHelp onClose={close} />}
      </Suspense>
    </>
  );
}

function PlaceShortcut({ place }: { place: Place }) {
  const navigate = useNavigate();
  useShortcut({ keys: place.keys, label: `Go to ${place.label}`, run: () => void navigate({ to: place.to }) });
  return null;
}

function Sidebar({ onSearch }: { onSearch: () => void }) {
  const isLit = useWaitingCount() > 0;
  return (
    <nav className="side" aria-label="Main">
      <div className="side-in">
        <div className="brand">
          <Mark isLit={isLit} />
          <span className="nav-label">Nightshift</span>
          <Link className="btn icon sm end" to="/new" aria-label="New task (C)" title="New task  C">
            <Plus size={16} aria-hidden />
          </Link>
        </div>
        <button className="find" type="button" onClick={onSearch} aria-label="Search or do something">
          <Search size={14} aria-hidden />
          <span className="grow nav-label">Search or do</span>
          <Key>{MOD}K</Key>
        </button>
        {PLACES.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        <ProjectLinks />
        <h2>Set-up</h2>
        {SETUP.map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
        <FootFacts>
          <ThemeSwitch />
        </FootFacts>
      </div>
    </nav>
  );
}

/** On phones, instead of the sidebar. */
function TopBar({ onSearch }: { onSearch: () => void }) {
  const isLit = useWaitingCount() > 0;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const place = [...PLACES, ...SETUP].find(({ to }) => (to === "/" ? path === "/" : path.startsWith(to)));
  return (
    <header className="topbar">
      <Mark isLit={isLit} />
      <span className="clip grow">{place?.label ?? "Nightshift"}</span>
      <button className="btn icon sm" type="button" aria-label="Search or do something" onClick={onSearch}>
        <Search size={16} aria-hidden />
      </button>
      <Link className="btn icon sm" to="/new" aria-label="New task">
        <Plus size={16} aria-hidden />
      </Link>
    </header>
  );
}

function TabBar() {
  return (
    <nav className="tabbar" aria-label="Main, phone">
      {PHONE_PLACES.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }} activeProps={{ "aria-current": "page" }}>
          <Icon size={20} strokeWidth={1.75} aria-hidden />
          {label}
          {to === "/inbox" && <WaitingBadge className="badge" />}
        </Link>
      ))}
      <Link to="/more" activeProps={{ "aria-current": "page" }}>
        <Ellipsis size={20} strokeWidth={1.75} aria-hidden />
        More
      </Link>
    </nav>
  );
}
