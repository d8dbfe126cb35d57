import fc from "fast-check";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Candidate } from "./analysis.ts";
import { chooseCandidate, cleanPath, type ChooseParams } from "./candidates.ts";
import { candidateSlug } from "./candidates-slug.ts";
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
  it("takes what the agent chose, with its slug and files as git spells them", () => {
    const { selected, dropped } = choose([candidate(2, "B", "./src//b.ts", "src/b.ts"), candidate(1, "A", "a.ts")], {
      selected: 2,
      slug: "better-b",
    });
    expect(selected).toEqual({ ...candidate(2, "B", "src/b.ts"), slug: "better-b" });
    expect(dropped).toEqual([]);
  });

  it("takes the best of the rest where that one is dropped, with a slug of its own", () => {
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

  it("takes none where none is left, and says why of each, best first", () => {
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
  ])("drops one that names %j", (path) => {
    expect(reasonFor("src/ok.ts", path)).toContain("is no path inside the repository");
  });

  it.each(["package.json", "web/package-lock.json", "go.sum", "pyproject.toml", "Cargo.toml"])(
    "drops one that touches %s",
    (path) => {
      expect(reasonFor("src/ok.ts", path)).toContain(`It touches ${path}, which says what the project is built from`);
    },
  );

  it.each([["src/new.ts"], ["./src/new.ts"], ["lib/"], ["lib/deep"]])(
    "drops one that touches recent files by %j",
    (path) => {
      expect(reasonFor(path)).toContain("within the last 10 commits");
    },
  );

  it.each([["src/new.ts.md"], ["li"], ["Dockerfile"], ["docs/größe.md"], ["..x/a.ts"]])("leaves %j alone", (path) => {
    expect(reasonFor(path)).toBeUndefined();
  });

  it("drops what the ledger has seen in another category, and says in which", () => {
    const known = makeProposal({
      category: "tests",
      title: "Fix it",
      files: ["a.md"],
      status: "closed",
      url: "https://f/1",
    });
    const asked = [candidate(1, "Fix it", "a.md"), candidate(2, "Explain it", "a.md")];
    const { selected, dropped } = choose(asked, { ledger: [known], churn: new Map([[known.baseCommit, []]]) });
    expect(selected?.rank).toBe(2);
    expect(dropped[0]?.reason).toBe(
      'As tests, "Fix it" was closed (https://f/1), and its files have not changed enough since.',
    );
  });

  it("drops what the ledger has seen, until its files changed", () => {
    const files = ["src/a.ts"];
    const known = makeProposal({ category: "docs", title: "Fix the typos", files, status: "closed", baseCommit: "b1" });
    const asked = [candidate(1, "Fixing a typo", "src/a.ts"), candidate(2, "Explain retries", "src/a.ts")];
    const still = choose(asked, { ledger: [known], churn: new Map([["b1", []]]) });
    expect(still.selected?.rank).toBe(2);
    expect(still.dropped[0]?.reason).toBe(
      '"Fix the typos" was closed (https://forge.example/1), and its files have not changed enough since.',
    );
    const churn = new Map([["b1", [{ path: "src/a.ts", gone: false, changed: 50, lines: 60 }]]]);
    expect(choose(asked, { ledger: [known], churn }).selected?.rank).toBe(1);
    const open = choose(asked, { ledger: [{ ...known, status: "published" }], churn });
    expect(open.dropped[0]?.reason).toBe('"Fix the typos" is still open (https://forge.example/1).');
    const reason = { kind: "too_big", text: "one concern at a time.", by: "ada", at: 0 } as const;
    const unwanted = choose(asked, { ledger: [{ ...known, status: "published", reason }], churn });
    expect(unwanted.dropped[0]?.reason).toBe(
      '"Fix the typos" is not wanted (https://forge.example/1): too big, one concern at a time.',
    );
    // Without a forge nobody hears what became of it.
    const pushed = [{ ...known, status: "published", url: null } as const];
    expect(choose(asked, { ledger: pushed, churn: new Map([["b1", []]]) }).dropped[0]?.reason).toBe(
      '"Fix the typos" was pushed as a branch, and its files have not changed enough since.',
    );
    expect(choose(asked, { ledger: pushed, churn }).selected?.rank).toBe(1);
  });
});

describe("cleanPath()", () => {
  it("gives back what it gave", () => {
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

  it("differs for titles without a Latin letter", () => {
    const all = ["日本語", "文書を直す", "Исправить", "", "ab"].map((title) => slug(null, title));
    expect(new Set(all).size).toBe(5);
    for (const each of all) expect(each).toMatch(/^docs-[0-9a-f]{8}$/);
  });

  it("is always one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (title, reported) => {
        expect(slug(reported, title)).toMatch(/^[a-z0-9][a-z0-9-]{2,48}$/);
      }),
    );
  });
});
