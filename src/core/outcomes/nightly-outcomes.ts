import { z } from "zod";
import { defineReport } from "./outcome-entry.ts";
import { line, maybe, paths, summary, text } from "./payload-fields.ts";

const rank = z.int().min(1).max(1_000);
const candidate = z.object({ rank, title: line, files: paths, description: text, rationale: text });

const reportedAnalysis = z
  .object({
    summary,
    category: line,
    candidates: z.array(candidate).min(1).max(5),
    selected: rank,
    slug: maybe(line),
  })
  .superRefine((analysis, context) => {
    const ranks = analysis.candidates.map((each) => each.rank);
    if (new Set(ranks).size < ranks.length) {
      context.addIssue({
        code: "custom",
        path: ["candidates"],
        message: `must have different ranks, found ${ranks.join(", ")}`,
      });
    }
    if (!ranks.includes(analysis.selected)) {
      context.addIssue({
        code: "custom",
        path: ["selected"],
        message: `must be the rank of a candidate: ${ranks.join(", ")}`,
      });
    }
  });

const dropped = z
  .array(z.object({ rank: z.number(), title: z.string(), reason: z.string() }))
  .readonly()
  .optional();

/** The engine adds the dropped candidates. It has no length limits, because redacting secrets can make a text longer. */
const storedAnalysis = z.object({
  summary: z.string().optional(),
  category: z.string(),
  candidates: z.array(
    z.object({
      rank: z.number(),
      title: z.string(),
      files: z.array(z.string()),
      description: z.string(),
      rationale: z.string(),
    }),
  ),
  selected: z.number(),
  slug: z.string().nullish(),
  dropped,
  /** The agent's own selection. */
  claimed: z.object({ selected: z.number() }).optional(),
});

/** The engine also uses `no_improvement` if it dropped every candidate or if nothing is scheduled. */
const storedNoImprovement = z.object({
  summary: z.string().optional(),
  reason: z.string().optional(),
  files_scanned: z.number().optional(),
  dropped,
  /** The analysis whose candidates were all dropped. */
  claimed: z.record(z.string(), z.unknown()).optional(),
});

const storedDescription = z.object({
  title: z.string(),
  summary: z.string(),
  reasoning: z.string(),
  changes: z.string(),
  commit_message: z.string(),
});

const verdict = z.object({ summary: text, error_details: maybe(text) });

/** Reported by the agents of a nightly improvement. */
export const NIGHTLY_OUTCOMES = {
  improvement_found: {
    ...defineReport({
      class: "success",
      from: { agent: ["analyze"] },
      schema: reportedAnalysis,
      when: "when at least one candidate is worth a change. `selected` is the rank of the one to implement. At most five candidates.",
      example: {
        summary: "parsePrice has no test for negative amounts.",
        category: "tests",
        candidates: [
          {
            rank: 1,
            title: "Test parsePrice with negative amounts",
            files: ["src/price.test.ts"],
            description: "Add cases for -1 and -0.01.",
            rationale: "A refund of -1 is parsed as 1 today, and no test fails.",
          },
        ],
        selected: 1,
        slug: "test-negative-prices",
      },
    }),
    payload: storedAnalysis,
  },
  no_improvement: {
    ...defineReport({
      class: "success",
      from: { agent: ["analyze"] },
      schema: z.object({ summary, reason: text, files_scanned: z.int().min(0) }),
      when: "when nothing in the category is worth a change.",
      example: {
        summary: "Nothing found.",
        reason: "All branches of every public function are tested.",
        files_scanned: 42,
      },
    }),
    payload: storedNoImprovement,
  },
  verified: defineReport({
    class: "verdict",
    from: { agent: ["verify"] },
    schema: verdict,
    when: "when the change implements the selected candidate and nothing else.",
    example: { summary: "The new cases fail without the fix and concern only parsePrice." },
  }),
  verify_failed: defineReport({
    class: "verdict",
    from: { agent: ["verify"] },
    trigger: "verdict",
    schema: verdict,
    when: "when the change does not. `error_details` tells the next attempt exactly what to do differently.",
    example: {
      summary: "The test asserts nothing.",
      error_details: "src/price.test.ts:12 calls parsePrice but has no expectation.",
    },
  }),
  described: {
    ...defineReport({
      class: "success",
      from: { agent: ["describe"] },
      schema: z.object({ title: line, summary: text, reasoning: text, changes: text, commit_message: text }),
      when: "when the text of the change request is ready.",
      example: {
        title: "Test negative prices",
        summary: "Adds the missing cases for negative amounts.",
        reasoning: "Refunds depend on the sign, and no test checked it.",
        changes: "- two cases in src/price.test.ts",
        commit_message: "test: cover negative prices",
      },
    }),
    payload: storedDescription,
  },
  /** The agent's claim. The engine verifies it before the outcome becomes `published`. */
  opened: defineReport({
    class: "success",
    from: { agent: ["publish"] },
    schema: z.object({ summary, url: line }),
    when: "when the branch is pushed and its change request is open. `url` is the address from the forge. The engine verifies it before the change counts as published.",
    example: { summary: "Pushed and opened.", url: "https://gitlab.example.com/team/shop/-/merge_requests/7" },
  }),
};
