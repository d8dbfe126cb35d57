import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";
import { escapeMarkup } from "../../../src/core/text/escape-markup.ts";

const ALLOWED_TAGS =
  "a b blockquote br code del em h2 h3 h4 h5 h6 hr i input kbd li ol p pre s span strong sub sup table tbody td th thead tr ul".split(
    " ",
  );

/** Tags without attributes that only change how a text looks. */
const PLAIN_HTML = /^<\/?(?:b|br|code|del|em|i|kbd|s|strong|sub|sup) ?\/?>$/i;

/**
 * An image could load something from elsewhere, so its text and its address are shown instead. HTML and its comments are shown
 * as text, because the next agent reads them, and a person who approves a document has to see all of it.
 */
const markdown = new Marked({
  gfm: true,
  renderer: {
    image: ({ text, href }) => `${escapeMarkup(text)} (<code>${escapeMarkup(href)}</code>)`,
    html({ text, ...token }) {
      if (PLAIN_HTML.test(text.trim())) return text;
      return "block" in token && token.block ? `<p>${escapeMarkup(text)}</p>` : escapeMarkup(text);
    },
  },
});

/** Markdown of an agent or a person: no images, no scripts, no styles, and links only as text with their address. */
export function renderMarkdown(text: string): string {
  const html = markdown.parse(text, { async: false });
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "start", "type", "checked", "disabled", "align"],
    ALLOW_DATA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) link.replaceWith(describeLink(link));
  for (const box of fragment.querySelectorAll("input")) box.replaceWith(box.checked ? "☑ " : "☐ ");
  for (const pre of fragment.querySelectorAll("pre")) pre.tabIndex = 0;
  const holder = document.createElement("div");
  holder.append(fragment);
  return holder.innerHTML;
}

/** An address in an agent's text may lead anywhere, so a person has to copy it on purpose. */
function describeLink(link: HTMLAnchorElement): DocumentFragment {
  const address = link.getAttribute("href");
  const result = document.createDocumentFragment();
  result.append(...link.childNodes);
  if (address === null || address === result.textContent) return result;
  const code = document.createElement("code");
  code.textContent = address;
  result.append(" (", code, ")");
  return result;
}

export function Markdown({ text }: { text: string }) {
  const html = useMemo(() => renderMarkdown(text), [text]);
  return <div className="prose" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}
