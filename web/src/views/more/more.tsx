import { PLACES, PlaceLink, ProjectLinks, SETUP } from "../../app/nav.tsx";
import { ThemeSwitch } from "../../app/theme-switch.tsx";
import { useTitle } from "../../app/title.ts";

/** The places that the bar at the foot of a phone has no room for. */
export function MoreView() {
  useTitle("More");
  return (
    <div className="page more-sm">
      <h1 className="h1">More</h1>
      {PLACES.slice(3).map((place) => (
        <PlaceLink key={place.to} place={place} />
      ))}
      <ProjectLinks />
      <h2>Set-up</h2>
      {SETUP.map((place) => (
        <PlaceLink key={place.to} place={place} />
      ))}
      <ThemeSwitch />
    </div>
  );
}
