import { useTitle } from "../../app/title.ts";
import { ThisBrowser } from "./this-browser.tsx";

export function SettingsView() {
  useTitle("Settings");
  return (
    <div className="page">
      <h1 className="h1">Settings</h1>
      <ThisBrowser />
    </div>
  );
}
