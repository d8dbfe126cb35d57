import type { AgentOutcome } from "./outcome.ts";

export interface OutcomeGuide {
  /** Completes "Report it …". */
  readonly when: string;
  /** A whole report; shown to agents, and held to the schema by a test. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** How each outcome is explained to an agent. */
export const OUTCOME_GUIDES: Readonly<Record<AgentOutcome, OutcomeGuide>> = {
  improvement_found: {
    when: "when at least one candidate survives your own doubts; `selected` is the rank of the one to do. At most five candidates.",
    example: {
      outcome: "improvement_found",
      summary: "parsePrice has no test for negative amounts.",
      category: "tests",
      candidates: [
        {
          rank: 1,
          title: "Test parsePrice with negative amounts",
          files: ["src/price.test.ts"],
          description: "Add cases for -1 and -0.01.",
          rationale: "A refund of -1 is read as 1 today and nothing would notice.",
        },
      ],
      selected: 1,
      slug: "test-negative-prices",
    },
  },
  no_improvement: {
    when: "when nothing in the category is worth a change.",
    example: {
      outcome: "no_improvement",
      summary: "Nothing found.",
      reason: "Every public function has tests of its branches.",
      files_scanned: 42,
    },
  },
  implemented: {
    when: "when the change is finished and stands in the files of the workspace. Say what you changed and why; claims about tests count for nothing, the checks run afterwards.",
    example: { outcome: "implemented", summary: "parsePrice now keeps the sign; two cases added to its test." },
  },
  verified: {
    when: "when the change does what was selected, and nothing else.",
    example: { outcome: "verified", summary: "The new cases fail without the fix and concern only parsePrice." },
  },
  verify_failed: {
    when: "when it does not; `error_details` tells the next attempt exactly what to do differently.",
    example: {
      outcome: "verify_failed",
      summary: "The test asserts nothing.",
      error_details: "src/price.test.ts:12 calls parsePrice but has no expectation.",
    },
  },
  described: {
    when: "when the text of the change request is ready.",
    example: {
      outcome: "described",
      title: "Test negative prices",
      summary: "Adds the missing cases for negative amounts.",
      reasoning: "Refunds depend on the sign and nothing checked it.",
      changes: "- two cases in src/price.test.ts",
      commit_message: "test: cover negative prices",
    },
  },
  opened: {
    when: "when the branch is pushed and its change request is open; `url` is the address that the forge gave it. The engine looks there before anything counts.",
    example: {
      outcome: "opened",
      summary: "Pushed and opened.",
      url: "https://gitlab.example.com/team/shop/-/merge_requests/7",
    },
  },
  plan_complete: {
    when: "when another agent could carry the plan out without asking you anything.",
    example: {
      outcome: "plan_complete",
      summary: "Keep the sign in parsePrice.",
      plan: "1. In src/price.ts, let parsePrice accept a leading minus …",
      plan_summary: "Keep the sign in parsePrice and test it.",
      subtasks: ["Accept a leading minus", "Add test cases"],
    },
  },
  investigation_complete: {
    when: "when the cause is shown by evidence; `options` where there is more than one reasonable way to mend it.",
    example: {
      outcome: "investigation_complete",
      report: "## Cause\nsrc/price.ts:8 drops every character that is no digit …",
      summary: "The sign is dropped in src/price.ts:8.",
      options: [{ id: "keep-sign", title: "Keep the sign", description: "Accept a leading minus.", recommended: true }],
      subtasks: ["Accept a leading minus"],
    },
  },
  design_ready: {
    when: "when the design answers what will be built, where, and what was decided against.",
    example: {
      outcome: "design_ready",
      design: "## Goal\n…",
      summary: "A signed price type at the edge; the inside stays as it is.",
    },
  },
  completed: {
    when: "when everything that was approved is done.",
    example: {
      outcome: "completed",
      summary: "The report stands in reports/licences.md.",
      result: "3 packages have no licence.",
    },
  },
  approved: {
    when: "when the change may be merged as it stands. No comment of it may be critical.",
    example: {
      outcome: "approved",
      summary: "Does what was asked, with tests.",
      comments: [{ file: "src/price.ts", line: 8, severity: "nit", comment: "`sign` would be a clearer name." }],
    },
  },
  changes_requested: {
    when: "when something must change before it may be merged. `severity` is critical, suggestion or nit.",
    example: {
      outcome: "changes_requested",
      summary: "-0 is read as 0 and then as 1.",
      comments: [{ file: "src/price.ts", line: 8, severity: "critical", comment: 'parsePrice("-0") returns 1.' }],
    },
  },
  needs_info: {
    when: "when you cannot go on without a person's answer and no reasonable assumption exists. One to five questions; `input` is text, choice (with `options`) or boolean.",
    example: {
      outcome: "needs_info",
      summary: "Which currency is meant?",
      questions: [
        {
          id: "currency",
          question: "Which currency do prices without a sign have?",
          context: "src/price.ts:3 guesses EUR.",
          input: "choice",
          options: ["EUR", "USD"],
          default: "EUR",
        },
      ],
    },
  },
  options_proposed: {
    when: "when there are several reasonable ways and the choice is a person's.",
    example: {
      outcome: "options_proposed",
      summary: "Two ways to keep the sign.",
      options: [
        {
          id: "type",
          title: "A price type",
          description: "New type for signed prices.",
          pros: ["cannot be forgotten"],
          cons: ["touches 12 files"],
        },
        { id: "parse", title: "Only the parser", description: "Change parsePrice alone.", recommended: true },
      ],
    },
  },
};

/** What `plan_complete` holds in the pipeline `staged`. */
export const STAGED_PLAN_EXAMPLE: OutcomeGuide["example"] = {
  outcome: "plan_complete",
  summary: "Lists the licences of all dependencies.",
  prompt: "Read package-lock.json and write reports/licences.md with …",
  tools: ["Read", "Write"],
  directories: ["reports"],
  needs_git: false,
  system_prompt: "",
  estimate: { tokens: 40000, minutes: 5 },
  reasoning: "Only one file is written, so only reports/ needs to be writable.",
};
