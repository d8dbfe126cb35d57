import { entropyOf } from "./entropy.ts";

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Short, for machines: `jwt`. */
  readonly rule: string;
  /** For people: "a JSON Web Token". */
  readonly what: string;
}

/** What secretlint's recommended rules lack. Each may well be something else: these are warnings. */
const SHAPES: readonly { readonly rule: string; readonly what: string; readonly shape: RegExp }[] = [
  { rule: "google-api-key", what: "a Google API key", shape: /\bAIza[\w-]{35}(?![\w-])/g },
  { rule: "jwt", what: "a JSON Web Token", shape: /\beyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{16,4000}/g },
  {
    rule: "kubeconfig-key",
    what: "the private key of a kubeconfig",
    shape: /\bclient-key-data["']?:\s{0,4}["']?[A-Za-z\d+/]{40,20000}={0,2}/g,
  },
  { rule: "huggingface-token", what: "a Hugging Face token", shape: /\bhf_[A-Za-z\d]{30,60}\b/g },
];

/** A name that says what it is, an assignment, and the value, quoted or not. */
const ASSIGNED =
  /(TOKEN|SECRET|PASSWORD|PASSWD|KEY)["'\]]{0,2}\s{0,8}(?:=>|:=|=|:)\s{0,8}(?:"([^"\n]{8,400})"|'([^'\n]{8,400})'|`([^`\n]{8,400})`|([\w+/=.~!@#%^&*-]{12,400}))/gi;

/** Lock files are full of hashes under such names, and no place where people write passwords. */
const LOCK_FILE = /(?:^|\/)(?:[\w.-]+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/i;

export function findPatterns(path: string, text: string): readonly PatternMatch[] {
  const shaped = SHAPES.flatMap(({ rule, what, shape }) =>
    Array.from(text.matchAll(shape), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      rule,
      what,
    })),
  );
  const matches = LOCK_FILE.test(path) ? shaped : [...shaped, ...findAssigned(text)];
  return matches.filter(({ start, end }) => !isPlaceholder(text.slice(start, end)));
}

function findAssigned(text: string): readonly PatternMatch[] {
  return Array.from(text.matchAll(ASSIGNED)).flatMap((match) => {
    const [all, name = "", ...values] = match;
    const quoted = values.slice(0, 3).find((each) => each !== undefined);
    const value = quoted ?? values[3] ?? "";
    if (!looksRandom(name, value, quoted !== undefined)) return [];
    const end = match.index + all.length - (quoted === undefined ? 0 : 1);
    return [{ start: end - value.length, end, rule: "assigned-secret", what: `a value for a ${name.toLowerCase()}` }];
  });
}

function looksRandom(name: string, value: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value) || isPublic(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Sentences, paths, addresses and code are no secrets; a file name or a call has too many bits as well.
  if (/\s|^[~.]{0,2}\/|:\/\/|^[\w$]+(?:\.[\w$]+)+$|^[\w$.]+\(/.test(value)) return false;
  const isPassword = /^pass/i.test(name) && isQuoted;
  if (isPassword) return entropyOf(value) >= 3 && /[^A-Za-z\d]|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(value);
  // Sixteen values make at most four bits.
  const isHex = /^[\da-f]+$/i.test(value);
  if (isHex && /^key$/i.test(name) && [32, 40, 64].includes(value.length)) return false;
  return value.length >= 16 && entropyOf(value) >= (isHex ? 3 : 3.7);
}

/** Hashes and keys that are there to be seen. */
function isPublic(value: string): boolean {
  return (
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ||
    /^(?:sha(?:1|256|384|512)|md5|h1)[-:]/i.test(value) ||
    /^(?:ssh-(?:rsa|ed25519)|ecdsa-)|^AAAA[BCE]3Nza/.test(value)
  );
}

const PLACEHOLDER =
  /\*{3}|\.{3}|…|<[^<>]{1,60}>|\$\{|\$\(|\{\{|%\(|\$[A-Z_]{3,}\b|example|change[-_]?me|your[-_ ]|placeholder|dummy|redacted|not[-_ ]?a[-_ ]?secret|1234567890|abcdefgh/i;
const PLACEHOLDER_PASSWORD =
  /:\/\/[^\s:/@]*:(?:password|passwd|pass|pwd|secret|token|postgres|root|admin|user|guest|test|x+|\*+|123\d*)@/i;
const SHORTEST_KEY = 60;

/** What documents and templates write where a secret would stand. */
export function isPlaceholder(text: string): boolean {
  // A key is told by its length alone: what stands in it is chance, or a remark that somebody added.
  if (text.includes("-----BEGIN ")) return text.replace(/-----[^-]*-----|[^A-Za-z\d+/]/g, "").length < SHORTEST_KEY;
  return PLACEHOLDER.test(text) || PLACEHOLDER_PASSWORD.test(text) || isMostlyOneCharacter(text);
}

/** `xxxxxxxx`; in long random text, six of a kind are chance. */
function isMostlyOneCharacter(text: string): boolean {
  const runs = Array.from(text.matchAll(/([^\s/=-])\1{5,}/g), ([run]) => run.length);
  return Math.max(0, ...runs) * 4 > text.length;
}

/** Enough to find it by, too little to use it. */
export function mask(secret: string): string {
  const characters = Array.from(secret.trim());
  // Of what is short, four would be a good part.
  const shown = characters
    .slice(0, characters.length < 16 ? 1 : 4)
    .join("")
    .replace(/[^ -~]/g, "?");
  return `${shown}… (${characters.length} characters)`;
}
