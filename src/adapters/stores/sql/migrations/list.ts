import { start } from "./0001-start.ts";
import { costs } from "./0002-costs.ts";
import { notices } from "./0003-notices.ts";
import { schedules } from "./0004-schedules.ts";
import { ledger } from "./0005-ledger.ts";
import { reservations } from "./0006-reservations.ts";
import { approvedStates } from "./0007-approved-states.ts";
import { baselines } from "./0008-baselines.ts";
import { documents } from "./0009-documents.ts";
import { totals } from "./0010-totals.ts";
import { indexes } from "./0011-indexes.ts";
import { parkedAgents } from "./0012-parked-agents.ts";
import { published } from "./0013-published.ts";
import { report } from "./0014-report.ts";
import { taskNotices } from "./0015-task-notices.ts";
import { decisions } from "./0016-decisions.ts";
import { taskSearch } from "./0017-task-search.ts";
import { signIns } from "./0018-sign-ins.ts";
import { runGrants } from "./0019-run-grants.ts";
import type { Migration } from "./migration.ts";

/** Migrations in order. A released migration is never changed; add a new one instead. */
export const MIGRATIONS: readonly Migration[] = [
  start,
  costs,
  notices,
  schedules,
  ledger,
  reservations,
  approvedStates,
  baselines,
  documents,
  totals,
  indexes,
  parkedAgents,
  published,
  report,
  taskNotices,
  decisions,
  taskSearch,
  signIns,
  runGrants,
];
