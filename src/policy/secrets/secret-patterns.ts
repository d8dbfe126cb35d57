import { entropyOf } from "./entropy.ts";

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Short rule id: `jwt`. */
  readonly rule: string;
  /** Description for people: "a JSON Web Token". */
  readonly what: string;
  /** False positives are possible for most patterns, so they are warnings. */
  readonly severity: "error" | "warning";
}

/** Patterns that secretlint's recommended rules lack. */
interface Shape {
  readonly rule: string;
  readonly what: string;
  readonly shape: RegExp;
  /** Default: warning. */
  readonly severity?: "error";
}

const SHAPES: readonly Shape[] = [
  // Also short keys (Ed25519), encrypted ones, keys with headers, in strings, and without an end.
  {
    rule: "private-key",
    what: "a private key",
    shape:
      /-----BEGIN (?:[A-Z\d]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]|["'`+,]){0,40}(?:[\w-]{1,40}: [^\n\\]{0,100}(?:\s|\\[nr]){1,10}){0,5}[A-Za-z\d+/]{40,100}[A-Za-z\d+/=\s\\"'`,]{0,20000}/g,
    severity: "error",
  },
  { rule: "google-api-key", what: "a Google API key", shape: /\bAIza[\w-]{35}(?![\w-])/g },
  { rule: "jwt", what: "a JSON Web Token", shape: /\beyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{16,4000}/g },
  {
    rule: "kubeconfig-key",
    what: "the private key of a kubeconfig",
    shape: /\bclient-key-data["']?:\s{0,4}["']?[A-Za-z\d+/]{40,20000}={0,2}/g,
  },
  { rule: "huggingface-token", what: "a Hugging Face token", shape: /\bhf_[A-Za-z\d]{30,60}\b/g },
];

/** A telling name, an assignment, and the value, quoted or not. */
const ASSIGNED =
  /(TOKEN|SECRET|PASSWORD|PASSWD|KEY)["'\]]{0,2}\s{0,8}(?:=>|:=|=|:)\s{0,8}(?:"([^"\n]{8,400})"|'([^'\n]{8,400})'|`([^`\n]{8,400})`|([\w+/=.~!@#%^&*-]{12,400}))/gi;

/** Lock files contain many hashes under such names, and people do not write passwords there. */
const LOCK_FILE = /(?:^|\/)(?:[\w.-]+\.lock|package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum)$/i;

export function findPatterns(path: string, text: string): readonly PatternMatch[] {
  const shaped = SHAPES.flatMap(({ rule, what, shape, severity }): PatternMatch[] =>
    Array.from(text.matchAll(shape), ({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      rule,
      what,
      severity: severity ?? "warning",
    })),
  );
  const matches = LOCK_FILE.test(path) ? shaped : [...shaped, ...findAssigned(text), ...findAwsPairs(text)];
  return matches.filter(({ start, end }) => !isPlaceholder(text.slice(start, end)));
}

function findAssigned(text: string): readonly PatternMatch[] {
  return Array.from(text.matchAll(ASSIGNED)).flatMap((match) => {
    const [all, name = "", ...values] = match;
    const quoted = values.slice(0, 3).find((each) => each !== undefined);
    const value = quoted ?? values[3] ?? "";
    if (!looksRandom(name, value, quoted !== undefined)) return [];
    const end = match.index + all.length - (quoted === undefined ? 0 : 1);
    const what = `a value for a ${name.toLowerCase()}`;
    return [{ start: end - value.length, end, rule: "assigned-secret", what, severity: "warning" }];
  });
}

const AWS_KEY_ID = /\b(?:AKIA|ASIA)[A-Z\d]{16}\b/;
const AWS_SECRET = /(?<![A-Za-z\d+/=])[A-Za-z\d+/]{40}(?![A-Za-z\d+/=])/g;
/** How far apart a key id and its secret are written at most, in characters. */
const AWS_PAIR_DISTANCE = 400;

/** A secret next to its key id, under whatever name. Without the id, a random text of this length can be anything. */
function findAwsPairs(text: string): readonly PatternMatch[] {
  if (!AWS_KEY_ID.test(text)) return [];
  return Array.from(text.matchAll(AWS_SECRET)).flatMap(({ 0: secret, index: start }) => {
    const isMixed = /[A-Z]/.test(secret) && /[a-z]/.test(secret) && /\d/.test(secret);
    if (!isMixed || entropyOf(secret) < 3.7) return [];
    const near = text.slice(Math.max(0, start - AWS_PAIR_DISTANCE), start + AWS_PAIR_DISTANCE);
    const id = AWS_KEY_ID.exec(near)?.[0];
    if (id === undefined || isPlaceholder(id)) return [];
    return [{ start, end: start + 40, rule: "aws-secret-key", what: "an AWS secret key", severity: "error" }];
  });
}

function looksRandom(name: string, value: string, isQuoted: boolean): boolean {
  if (isPlaceholder(value) || isPublic(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // Sentences, paths, URLs and code are not secrets, although file names and calls can have high entropy.
  if (/\s|^[~.]{0,2}\/|:\/\/|^[\w$]+(?:\.[\w$]+)+$|^[\w$.]+\(/.test(value)) return false;
  const isPassword = /^pass/i.test(name) && isQuoted;
  if (isPassword) return entropyOf(value) >= 3 && /[^A-Za-z\d]|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(value);
  // Hex has sixteen symbols, so at most four bits.
  const isHex = /^[\da-f]+$/i.test(value);
  if (isHex && /^key$/i.test(name) && [32, 40, 64].includes(value.length)) return false;
  return value.length >= 16 && entropyOf(value) >= (isHex ? 3 : 3.7);
}

/** Hashes and keys that are meant to be public. */
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
const MIN_KEY_LENGTH = 60;

/** Placeholders in documents and templates. */
export function isPlaceholder(text: string): boolean {
  // For a key only the length matters, because its content is random or a comment.
  if (text.includes("-----BEGIN ")) return text.replace(/-----[^-]*-----|[^A-Za-z\d+/]/g, "").length < MIN_KEY_LENGTH;
  return PLACEHOLDER.test(text) || PLACEHOLDER_PASSWORD.test(text) || isMostlyOneCharacter(text);
}

/** `xxxxxxxx`. In a long random text, six equal characters are chance. */
function isMostlyOneCharacter(text: string): boolean {
  const runs = Array.from(text.matchAll(/([^\s/=-])\1{5,}/g), ([run]) => run.length);
  return Math.max(0, ...runs) * 4 > text.length;
}

/** Shows enough to find the secret, and too little to use it. */
export function mask(secret: string): string {
  const characters = Array.from(secret.trim());
  // Four characters would be a large part of a short value.
  const shown = characters
    .slice(0, characters.length < 16 ? 1 : 4)
    .join("")
    .replace(/[^ -~]/g, "?");
  return `${shown}… (${characters.length} characters)`;
}
