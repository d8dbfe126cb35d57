import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Glyph, type GlyphName } from "../../../ui/glyph.tsx";

const WORDS: Readonly<Record<NonNullable<TaskJson["proof"]>, readonly [GlyphName, string, string]>> = {
  proven: [
    "succeeded",
    "The fix is proven.",
    "The tests of the change fail on the base commit and pass on the change.",
  ],
  not_proven: ["baseline", "The fix is not proven.", "The tests of the change also pass on the base commit."],
  no_test: ["skipped", "The fix has no test.", "The change contains no test that could show that it works."],
};

/** Whether the tests of a fix show that it fixes something. */
export function Proof({ proof }: { proof: TaskJson["proof"] }) {
  if (proof === null) return null;
  const [glyph, verdict, why] = WORDS[proof];
  return (
    <p className="flex">
      <Glyph name={glyph} />
      <span>
        <b className="strong">{verdict}</b> <span className="muted">{why}</span>
      </span>
    </p>
  );
}
