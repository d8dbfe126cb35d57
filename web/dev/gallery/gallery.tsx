import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ThemeSwitch } from "../../src/app/theme-switch.tsx";
import { ActionSamples } from "./actions.tsx";
import { StateSamples } from "./states.tsx";
import { StatusSamples } from "./status.tsx";
import { TextSamples } from "./texts.tsx";
import "../../src/styles/index.css";

/** Every shared component with its states, to look at while working on them. It is not part of the package. */
function Gallery() {
  return (
    <main className="main">
      <div className="page">
        <div className="flex">
          <h1 className="h1 grow">Components and their states</h1>
          <ThemeSwitch />
        </div>
        <StatusSamples />
        <ActionSamples />
        <TextSamples />
        <StateSamples />
      </div>
    </main>
  );
}

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Gallery />
    </StrictMode>,
  );
}
