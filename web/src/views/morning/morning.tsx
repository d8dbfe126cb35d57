import { useParams } from "@tanstack/react-router";
import { useApi } from "../../api/queries.ts";
import { useTitle } from "../../app/title.ts";
import type { ReportJson } from "../../../../src/http/client/client.ts";
import { Loaded } from "../../ui/state.tsx";
import { FirstRun, useIsFirstRun } from "./first-run.tsx";
import { RowCursor } from "./cursor.tsx";
import { NightFigure } from "./night/night-figure.tsx";
import { ReportHead } from "./report-head.tsx";
import { ComparisonSection } from "./sections/comparison.tsx";
import { DecideSection } from "./sections/decide.tsx";
import { FailedSection } from "./sections/failed.tsx";
import { FixFirstSection } from "./sections/fix-first.tsx";
import { MoneySection } from "./sections/money.tsx";
import { MachineSection, MissedSection, ReadSection } from "./sections/other-sections.tsx";
import { ReviewSection } from "./sections/review.tsx";
import { TonightSection } from "./sections/tonight.tsx";

/** What happened in a night, what waits, and what can be merged. Without a date: in the newest one, until now. */
export function MorningView() {
  const { date } = useParams({ strict: false });
  const isFirstRun = useIsFirstRun();
  useTitle(date === undefined ? "Morning" : `Night of ${date}`);
  const query = useApi("GET /report", { query: date === undefined ? {} : { night: date } });
  return (
    <div className="page">
      {isFirstRun && date === undefined ? (
        <FirstRun />
      ) : (
        <Loaded query={query} what="The report">
          {(report) => <NightReport key={report.night} report={report} isCurrent={date === undefined} />}
        </Loaded>
      )}
    </div>
  );
}

/** The sections that a person only reads, in their order. */
const READ = ["running", "queued", "skipped", "merged", "done", "cancelled"] as const;

function NightReport({ report, isCurrent }: { report: ReportJson; isCurrent: boolean }) {
  const { sections, problems, missed, money } = report;
  return (
    <RowCursor>
      <ReportHead report={report} isCurrent={isCurrent} />
      <NightFigure report={report} isCurrent={isCurrent} />
      {isCurrent && <FixFirstSection problems={problems} />}
      {sections.decide.total > 0 && <DecideSection section={sections.decide} />}
      {sections.review.total > 0 && <ReviewSection section={sections.review} />}
      {sections.failed.total > 0 && <FailedSection section={sections.failed} />}
      {READ.slice(0, 3).map(
        (name) => sections[name].total > 0 && <ReadSection key={name} name={name} section={sections[name]} />,
      )}
      <MissedSection missed={missed} />
      {READ.slice(3).map(
        (name) => sections[name].total > 0 && <ReadSection key={name} name={name} section={sections[name]} />,
      )}
      <MoneySection money={money} isCurrent={isCurrent} />
      <ComparisonSection report={report} />
      {isCurrent && <MachineSection />}
      {isCurrent && sections.running.total + sections.queued.total === 0 && <TonightSection />}
    </RowCursor>
  );
}
