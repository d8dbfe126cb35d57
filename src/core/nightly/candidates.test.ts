import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { chooseCandidate, cleanPath, candidateSlug, type Candidate, type ChooseParams } from "./candidates.ts";
import { makeProposal } from "../../testing/builders.ts";

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

const candidate = (rank: number, title: string, ...files: string[]): Candidate => ({
  rank,
  title,
  files,
  description: "d",
  rationale: "r",
});

const choose = (candidates: readonly Candidate[], over: Partial<ChooseParams> = {}) =>
  chooseCandidate({
    category: "docs",
    candidates,
    selected: candidates[0]?.rank ?? 1,
    slug: null,
    recentFiles: [],
    recentCommits: 10,
    refusesDependencies: true,
    ledger: [],
    churn: new Map(),
    digest,
    ...over,
  });

const reasonFor = (...files: string[]): string | undefined =>
  choose([candidate(1, "Fix it", ...files)], { recentFiles: ["src/new.ts", "lib/deep/x.ts"] }).dropped[0]?.reason;

describe("chooseCandidate()", () => {
  it("selects the agent's choice, with its slug and normalized file paths", () => {
    const { selected, dropped } = choose([candidate(2, "B", "./src//b.ts", "src/b.ts"), candidate(1, "A", "a.ts")], {
      selected: 2,
      slug: "better-b",
    });
    expect(selected).toEqual({ ...candidate(2, "B", "src/b.ts"), slug: "better-b" });
    expect(dropped).toEqual([]);
  });

  it("selects the best remaining candidate with its own slug if the agent's choice is dropped", () => {
    const all = [candidate(5, "Last", "e.ts"), candidate(3, "Describe the API", "c.ts"), candidate(1, "First", "a.ts")];
    const { selected, dropped } = choose(all, { selected: 1, slug: "the-first", recentFiles: ["a.ts"] });
    expect(selected).toMatchObject({ rank: 3, slug: "describe-the-api" });
    expect(dropped).toEqual([
      {
        rank: 1,
        title: "First",
        reason:
          "It touches a.ts, changed within the last 10 commits of the default branch; others may be working there.",
      },
    ]);
  });

  it("selects none if all are dropped, and gives a reason for each, best rank first", () => {
    const { selected, dropped } = choose([candidate(2, "B", "yarn.lock"), candidate(1, "A")]);
    expect(selected).toBeNull();
    expect(dropped.map(({ rank }) => rank)).toEqual([1, 2]);
    for (const { reason } of dropped) expect(reason).toMatch(/^[A-Z"].*\.$/);
  });

  it.each([
    ["/etc/passwd"],
    ["../other/x.ts"],
    ["src/../../x.ts"],
    ["C:\\x"],
    [".git/hooks/pre-commit"],
    ["sub/.GIT/config"],
    [""],
    ["."],
    ["a\u0000b"],
  ])("drops a candidate that names %j", (path) => {
    expect(reasonFor("src/ok.ts", path)).toContain("is not a path inside the repository");
  });

  it.each(["package.json", "web/package-lock.json", "go.sum", "pyproject.toml", "Cargo.toml"])(
    "drops a candidate that touches %s",
    (path) => {
      expect(reasonFor("src/ok.ts", path)).toContain(
        `It touches ${path}. Nightly changes must not touch dependency files.`,
      );
    },
  );

  it.each([["src/new.ts"], ["./src/new.ts"], ["lib/"], ["lib/deep"]])(
    "drops a candidate that touches recent files as %j",
    (path) => {
      expect(reasonFor(path)).toContain("within the last 10 commits");
    },
  );

  it.each([["src/new.ts.md"], ["li"], ["Dockerfile"], ["docs/größe.md"], ["..x/a.ts"]])(
    "keeps a candidate that names %j",
    (path) => {
      expect(reasonFor(path)).toBeUndefined();
    },
  );

  it("drops a candidate that the ledger has in another category, and names the category", () => {
    const known = makeProposal({
      category: "tests",
      title: "Fix it",
      files: ["a.md"],
      status: "closed",
      url: "https://f/1",
    });
    const proposed = [candidate(1, "Fix it", "a.md"), candidate(2, "Explain it", "a.md")];
    const { selected, dropped } = choose(proposed, { ledger: [known], churn: new Map([[known.baseCommit, []]]) });
    expect(selected?.rank).toBe(2);
    expect(dropped[0]?.reason).toBe(
      'As tests, "Fix it" was closed (https://f/1), and its files have not changed enough since.',
    );
  });

  it("drops a candidate that the ledger has, until its files change", () => {
    const files = ["src/a.ts"];
    const known = makeProposal({ category: "docs", title: "Fix the typos", files, status: "closed", baseCommit: "b1" });
    const proposed = [candidate(1, "Fixing a typo", "src/a.ts"), candidate(2, "Explain retries", "src/a.ts")];
    const still = choose(proposed, { ledger: [known], churn: new Map([["b1", []]]) });
    expect(still.selected?.rank).toBe(2);
    expect(still.dropped[0]?.reason).toBe(
      '"Fix the typos" was closed (https://forge.example/1), and its files have not changed enough since.',
    );
    const churn = new Map([["b1", [{ path: "src/a.ts", gone: false, changed: 50, lines: 60 }]]]);
    expect(choose(proposed, { ledger: [known], churn }).selected?.rank).toBe(1);
    const open = choose(proposed, { ledger: [{ ...known, status: "published" }], churn });
    expect(open.dropped[0]?.reason).toBe('"Fix the typos" is still open (https://forge.example/1).');
    const reason = { kind: "too_big", text: "one concern at a time.", by: "ada", at: 0 } as const;
    const unwanted = choose(proposed, { ledger: [{ ...known, status: "published", reason }], churn });
    expect(unwanted.dropped[0]?.reason).toBe(
      '"Fix the typos" is not wanted (https://forge.example/1): too big, one concern at a time.',
    );
    // Without a forge, the engine cannot know whether the branch was merged.
    const pushed = [{ ...known, status: "published", url: null } as const];
    expect(choose(proposed, { ledger: pushed, churn: new Map([["b1", []]]) }).dropped[0]?.reason).toBe(
      '"Fix the typos" was pushed as a branch, and its files have not changed enough since.',
    );
    expect(choose(proposed, { ledger: pushed, churn }).selected?.rank).toBe(1);
  });
});

describe("cleanPath()", () => {
  it("is idempotent", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", ".", "/", "ü", "\\", "-") }), (path) => {
        const clean = cleanPath(path);
        if (clean !== null) expect(cleanPath(clean)).toBe(clean);
      }),
    );
  });
});

const slug = (reported: string | null, title: string): string =>
  candidateSlug({ reported, title, category: "docs", digest });

describe("candidateSlug()", () => {
  it.each([
    ["typo-fix", "x", "typo-fix"],
    ["Not A Slug", "Fix: the Login!", "fix-the-login"],
    ["../../etc", "Fix: the Login!", "fix-the-login"],
    ["ab", "Größe", "gro-e"],
    [null, "日本語 API", "api"],
  ])("of %j and %j is %j", (reported, title, expected) => {
    expect(slug(reported, title)).toBe(expected);
  });

  it("differs for titles without Latin letters", () => {
    const all = ["日本語", "文書を直す", "Исправить", "", "ab"].map((title) => slug(null, title));
    expect(new Set(all).size).toBe(5);
    for (const each of all) expect(each).toMatch(/^docs-[0-9a-f]{8}$/);
  });

  it("is always a valid slug", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (title, reported) => {
        expect(slug(reported, title)).toMatch(/^[a-z0-9][a-z0-9-]{2,48}$/);
      }),
    );
  });
});
