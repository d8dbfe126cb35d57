import { type GlyphName, Mark, Risk, Status } from "../../src/ui/glyph.tsx";
import { Meter } from "../../src/ui/meter.tsx";
import { Section } from "../../src/ui/section.tsx";

const TASKS: readonly GlyphName[] = ["queued", "running", "waiting", "paused", "succeeded", "failed", "cancelled"];
const CHECKS: readonly GlyphName[] = ["baseline", "flaky", "timeout", "skipped"];

export function StatusSamples() {
  return (
    <>
      <Section title="Status" count={TASKS.length} hint="Shape, colour and word, always together">
        <Line>
          {TASKS.map((name) => (
            <Status key={name} name={name} />
          ))}
        </Line>
        <Line>
          Only for checks:
          {CHECKS.map((name) => (
            <Status key={name} name={name} />
          ))}
        </Line>
      </Section>
      <Section title="Mark" hint="Lit while something waits for a person">
        <Line>
          <Mark isLit />
          <Mark isLit={false} />
        </Line>
      </Section>
      <Section title="Risk">
        <Line>
          <Risk level="low" />
          <Risk level="medium" />
          <Risk level="high" />
        </Line>
      </Section>
      <Section title="Meter" hint="Spent, reserved, and the rest">
        <div className="stack">
          <Meter spent={6} limit={20} label="$6.00 of $20.00 spent" />
          <Meter spent={12} reserved={5} limit={20} label="$12.00 of $20.00 spent, $5.00 reserved" />
          <Meter spent={22} limit={20} label="$22.00 of $20.00 spent, over the limit" />
        </div>
      </Section>
    </>
  );
}

export function Line({ children }: { children: React.ReactNode }) {
  return (
    <div className="flex" style={{ flexWrap: "wrap", gap: 16, paddingBlock: 6 }}>
      {children}
    </div>
  );
}
