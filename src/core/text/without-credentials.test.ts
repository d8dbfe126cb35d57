import { expect, it } from "vitest";
import { mentionCredentials, withoutCredentials } from "./without-credentials.ts";

it.each([
  ["https://bob:secret@example.com/x.git", "https://example.com/x.git"],
  ["https://token@example.com/x.git", "https://example.com/x.git"],
  ["https://bob:p@ss@example.com/x", "https://example.com/x"],
  ["HTTPS://bob:secret@example.com", "HTTPS://example.com"],
  ["git+ssh://git:secret@example.com/x", "git+ssh://example.com/x"],
  ['found `"https://a:b@c.d"`, then http://e:f@g.h/', 'found `"https://c.d"`, then http://g.h/'],
  ["https://bob:it's@example.com/x.git", "https://example.com/x.git"],
  ['https://bob:a"b`c@example.com/x.git', "https://example.com/x.git"],
  [JSON.stringify({ url: 'https://bob:a"b@example.com' }), '{"url":"https://example.com"}'],
  ["https://example.com/x#access_token=abc", "https://example.com/x#access_token=[redacted]"],
  ["https://ntfy.example.com/x?auth=abc&lang=en", "https://ntfy.example.com/x?auth=[redacted]&lang=en"],
  ["https://example.com/h?a=1&private_token=abc#top", "https://example.com/h?a=1&private_token=[redacted]#top"],
])("removes credentials from %s", (text, expected) => {
  expect(withoutCredentials(text)).toBe(expected);
  expect(withoutCredentials(expected)).toBe(expected);
});

it.each([
  "git@example.com:team/shop.git",
  "/srv/shop.git",
  "write to bob@example.com, see https://example.com/@bob?page=2",
  "https://example.com/?monkey=1",
  '{"url":"https://example.com","mail":"bob@example.com"}',
  "['https://example.com','bob@example.com']",
  'url="https://example.com" mail="bob@example.com"',
])("keeps %s", (text) => {
  expect(withoutCredentials(text)).toBe(text);
});

it("a message about a refused URL says that credentials were removed, so that it does not contradict what it shows", () => {
  expect(mentionCredentials("`https://bob:secret@example.com/hook`")).toBe(
    "`https://example.com/hook` (it contains credentials, which are not shown)",
  );
  expect(mentionCredentials("`ftp://example.com`")).toBe("`ftp://example.com`");
});
