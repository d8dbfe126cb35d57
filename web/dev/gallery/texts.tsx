import { Markdown } from "../../src/ui/markdown.tsx";
import { Glyph } from "../../src/ui/glyph.tsx";
import { Section } from "../../src/ui/section.tsx";
import { Voice } from "../../src/ui/voice.tsx";

const DOCUMENT = `### Cache the parsed templates

1. Add a cache in \`render.ts\`.
2. Clear it when a file changes.

| file | lines |
|---|---|
| src/render.ts | 40 |

\`\`\`ts
const cache = new Map<string, Template>();
\`\`\`

[A link](https://example.com/somewhere), an image ![secret](https://example.com/pixel.png) and <script>alert(1)</script>.`;

const LONG =
  "Rename VeryLongGeneratedCustomerRelationshipSynchronisationAdapterFactoryImplementationForLegacyTenants everywhere";

export function TextSamples() {
  return (
    <>
      <Section title="Whose words" hint="What an agent wrote is signed">
        <p style={{ marginBottom: 10 }}>
          4 checks passed on <span className="hash">41d7e02</span>. <span className="faint">Facts of the engine.</span>
        </p>
        <Voice by="claude-code wrote">
          <Markdown text={DOCUMENT} />
        </Voice>
      </Section>
      <Section title="Long and foreign" hint="Nothing breaks">
        <Row title={LONG} />
        <Row title="أضف تقدير التسليم إلى السلة" />
        <Row title="<script>alert(1)</script> stays text" />
      </Section>
    </>
  );
}

function Row({ title }: { title: string }) {
  return (
    <div className="row" style={{ gridTemplateColumns: "16px minmax(0,1fr)" }}>
      <Glyph name="waiting" label="Waiting for you" />
      <span className="t" dir="auto">
        {title}
      </span>
    </div>
  );
}
