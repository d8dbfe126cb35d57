import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intentFingerprint, isSameIntent, titleWords, type Intent } from "./proposal-intent.ts";

const digest = (text: string): string => text;

/** `files` is separated by spaces. The files of the other side are given only if they differ. */
type Row = readonly [category: string, files: string, one: string, other: string, otherFiles?: string];

const intents = ([category = "", files = "", one = "", other = "", otherFiles = files]: readonly (
  | string
  | undefined
)[]): [Intent, Intent] => [
  { category, files: files.split(" "), title: one },
  { category, files: otherFiles.split(" "), title: other },
];

const SAME: readonly Row[] = [
  ["tests", "src/cart.ts", "Add tests for the cart total", "Cover the cart total with tests"],
  ["tests", "src/cart.ts", "Add tests for cart totals", "Add missing unit tests: cart total calculation"],
  ["tests", "src/cart.ts", "Test the cart", "Add tests for cart.ts"],
  ["tests", "src/cart.ts src/cart.test.ts", "Cover empty carts", "Test the empty cart", "src/cart.test.ts"],
  ["tests", "src/parse.ts", "Test parseDate() on leap days", "Add a leap-day test for parse_date"],
  ["refactoring", "src/price.ts", "Extract duplicated price formatting", "Deduplicate the formatting of prices"],
  ["refactoring", "src/price.ts", "Remove the dead code in formatPrice", "Delete unused code (format price)"],
  ["refactoring", "src/a.ts src/b.ts", "Remove dead code", "Remove dead code.", "src/b.ts src/c.ts"],
  ["refactoring", "src/user.ts", "Rename confusing variable `x1` in login", "Better name for variable x1 of login"],
  [
    "refactoring",
    "src/user.ts",
    "Simplify nested conditionals in authorize()",
    "Simplified the nested conditionals of authorize",
  ],
  ["docs", "README.md", "Fix typo in installation section", "Correct a misspelling in the Installation section"],
  ["docs", "src/api.ts", "Document the retry options", "Add JSDoc comments to the retry options"],
  ["docs", "src/api.ts", "Add doc comments for exported functions", "Document exported functions"],
  ["security", "src/db.ts", "Escape user input in search query", "Sanitize the user input of the search query"],
  ["security", "src/db.ts", "Use parameterized SQL queries", "Switch to parameterized SQL query"],
  ["security", "src/http.ts", "Validate the redirect URL", "Add validation of redirect URLs"],
  ["performance", "src/list.ts", "Cache compiled regular expressions", "Caching of the compiled regular expressions"],
  ["performance", "src/list.ts", "Avoid quadratic lookup in merge()", "Replace the quadratic lookup of merge by a Map"],
  ["performance", "src/list.ts", "Memoize the sorted list", "Cache the sorted list"],
  ["refactoring", "src/order.ts", "Split processOrder into smaller functions", "Break up the long `processOrder`"],
  ["security", "src/api.ts", "Add error handling for failed fetches", "Handle fetch failures"],
  ["docs", "docs/größe.md", "Größenangaben erklären", "Erklären: Größenangaben"],
  ["docs", "README.md", "インストール手順の誤字を修正", "インストール手順の誤字を直す"],
];

const DIFFERENT: readonly Row[] = [
  ["tests", "src/cart.ts", "Add tests for the cart total", "Add tests for cart discounts"],
  ["tests", "src/cart.ts", "Test adding an item twice", "Test negative quantities"],
  ["tests", "src/cart.ts", "Add tests for the total", "Add tests for the total", "src/order.ts"],
  ["tests", "src/a.ts src/b.ts src/c.ts", "Cover retries", "Cover retries", "src/c.ts src/d.ts src/e.ts"],
  ["tests", "src/parse.ts", "Test error paths of parseHeader", "Test error paths of parse_body()"],
  ["refactoring", "src/order.ts", "Split processOrder into smaller functions", "Rename processOrder to placeOrder"],
  ["refactoring", "src/price.ts", "Remove unused import", "Remove unused function formatDate"],
  ["refactoring", "src/price.ts", "Remove dead code", "Remove duplicated rounding"],
  ["refactoring", "src/price.ts", "Extract the tax table", "Simplify the rounding"],
  ["refactoring", "src/user.ts", "Rename variable x1", "Split the login function"],
  ["docs", "README.md", "Fix typo in installation section", "Describe the environment variables"],
  ["docs", "src/api.ts", "Document the retry options", "Document the timeout option"],
  ["docs", "src/api.ts", "Add an example for uploads", "Add an example for streaming"],
  ["security", "src/http.ts", "Validate the redirect URL", "Set the Secure flag on cookies"],
  ["security", "src/db.ts", "Escape user input in search", "Close connections after errors"],
  ["performance", "src/list.ts", "Cache compiled regular expressions", "Avoid copying the list on each insert"],
  ["performance", "src/list.ts", "Avoid quadratic lookup in merge()", "Stream the export instead of buffering it"],
  ["docs", "README.md", "インストール手順の誤字を修正", "設定ファイルの例を追加"],
];

describe("isSameIntent()", () => {
  it.each(SAME)("%s in %s: %j is %j", (...row) => {
    const [one, other] = intents(row);
    expect(isSameIntent(one, other)).toBe(true);
    expect(isSameIntent(other, one)).toBe(true);
  });

  it.each(DIFFERENT)("%s in %s: %j is not %j", (...row) => {
    const [one, other] = intents(row);
    expect(isSameIntent(one, other)).toBe(false);
    expect(isSameIntent(other, one)).toBe(false);
  });

  it("treats different words in another category, or no shared file, as another intent", () => {
    const one = { category: "docs", files: ["a.md"], title: "Fix the typo in the greeting" };
    const other = { ...one, category: "tests" };
    expect(isSameIntent(one, other)).toBe(true);
    expect(isSameIntent(one, { ...other, title: "Correct a misspelling in the greeting" })).toBe(true);
    expect(isSameIntent(one, { ...other, title: "Fix typos" })).toBe(false);
    expect(isSameIntent({ ...one, files: [] }, { ...other, files: [] })).toBe(false);
    expect(isSameIntent({ ...one, title: "the of" }, { ...other, title: "and" })).toBe(false);
    expect(isSameIntent({ ...one, files: [] }, { ...one, files: [] })).toBe(false);
  });

  it.each([
    [["src/a.ts"], ["src/"]],
    [["src/a.ts"], ["src/a.ts", "b1.ts", "b2.ts", "b3.ts", "b4.ts", "b5.ts"]],
    [["src/lib/a.ts", "src/lib/b.ts"], ["src/lib/"]],
  ])("matches files named as %j with %j", (files, others) => {
    const intent = { category: "docs", title: "Explain where the stock comes from" };
    expect(isSameIntent({ ...intent, files }, { ...intent, files: others })).toBe(true);
    expect(isSameIntent({ ...intent, files: others }, { ...intent, files })).toBe(true);
  });

  it("is true for every intent and itself, whatever its title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (title) => {
        const one = { category: "docs", files: ["a.md"], title };
        expect(isSameIntent(one, { ...one })).toBe(true);
      }),
    );
  });
});

describe("titleWords()", () => {
  it.each([
    ["Caches, cached & caching", ["cach"]],
    ["Splitting the constructor's classes", ["class", "constructor", "split"]],
    ["__proto__ and toString", ["proto", "string"]],
    ["the of and", []],
    ["Ärger", ["arger"]],
    ["日本語", ["日本", "本語"]],
  ])("of %j are %j", (title, words) => {
    expect(titleWords(title)).toEqual(words);
  });
});

describe("intentFingerprint()", () => {
  const one = { category: "docs", files: ["b.md", "a.md"], title: "Fix the typos" };

  it("does not depend on order, case or word endings", () => {
    const other = { category: "docs", files: ["a.md", "b.md", "a.md"], title: "fixing  a TYPO!" };
    expect(intentFingerprint(other, digest)).toBe(intentFingerprint(one, digest));
  });

  it.each([{ category: "tests" }, { files: ["a.md"] }, { title: "Fix the table" }])("differs by %j", (over) => {
    expect(intentFingerprint({ ...one, ...over }, digest)).not.toBe(intentFingerprint(one, digest));
  });
});
