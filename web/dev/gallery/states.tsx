import { Timer, UserCheck } from "lucide-react";
import { Banner, Empty, ErrorBanner, Skeleton } from "../../src/ui/state.tsx";
import { Section } from "../../src/ui/section.tsx";

export function StateSamples() {
  return (
    <>
      <Section title="Loading" hint="After 200 ms">
        <Skeleton rows={2} />
      </Section>
      <Section title="Empty">
        <Empty title="Nothing waits for you">Decisions appear here when an agent asks or a plan is ready.</Empty>
      </Section>
      <Section title="Banners">
        <div className="stack">
          <ErrorBanner title="The report could not be read." error={new Error("The disk is full.")} retry={() => {}} />
          <Banner icon={<UserCheck size={16} aria-hidden />}>
            <b className="strong">bob answered this 2 minutes ago.</b> Your answers were not sent; they are still in the
            form.
          </Banner>
          <Banner kind="amber" icon={<Timer size={16} aria-hidden />}>
            <b className="strong">Until 10:00 today.</b> Then the defaults are taken and recorded as assumed.
          </Banner>
        </div>
      </Section>
    </>
  );
}
