import { fixer, investigator } from "./bugs.ts";
import { asker, greeter, rounder } from "./changes.ts";
import { auditor, gardener } from "./nights.ts";
import { archivist, clerk, planner } from "./plans.ts";

/** What each scripted agent of the demo does in each run of a role. `read-script.ts` describes the format. */
export const demoScripts = (now: number) => ({
  greeter,
  gardener,
  auditor,
  planner,
  asker: asker(now),
  rounder,
  fixer,
  investigator,
  clerk,
  archivist,
});

export type DemoAgent = keyof ReturnType<typeof demoScripts>;
