import { useTitle } from "../../app/title.ts";
import { Ceiling } from "./ceiling.tsx";
import { Channels } from "./channels.tsx";
import { Machine } from "./machine.tsx";
import { People } from "./people.tsx";
import { Pipelines } from "./pipelines.tsx";
import { Problems } from "./problems.tsx";
import { ThisBrowser } from "./this-browser.tsx";

export function SettingsView() {
  useTitle("Settings");
  return (
    <div className="page settings">
      <h1 className="h1">Settings</h1>
      <Problems />
      <Channels />
      <Machine />
      <Ceiling />
      <People />
      <Pipelines />
      <ThisBrowser />
    </div>
  );
}
