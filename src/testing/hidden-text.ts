import fc from "fast-check";

const PIECES = [
  "\u001b[31m",
  "\u001b[0m",
  "\u0000",
  "\b",
  "\u007f",
  "\u009b1m",
  "\u001b]0;title\u0007",
  "\u001b]8;;https://x.example\u001b\\",
  "\u200e",
  "\ufeff",
  "\u{e0041}",
  "\u00ad",
  "\ufe0f",
  "\u001b\u001b]x\u0007[31m",
  "\u001b",
  "\u001b]",
  "\u0007",
  "[",
  "\\u001b]",
  "“”",
];

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]|(?![\t\n\r\u001b\u009b])\p{Cc}/u;

/** Every single character that a terminal does not show, without the two that start a sequence. */
export const HIDDEN_CHARACTERS: readonly string[] = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => INVISIBLE.test(character));

/** A text that contains `value` with invisible characters before, inside and after it. Sometimes they break it. */
export function hiddenIn(value: string): fc.Arbitrary<string> {
  const piece = fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((parts) => parts.join(""));
  const at = fc.array(fc.tuple(fc.nat({ max: value.length }), piece), { minLength: 1, maxLength: 4 });
  return fc.tuple(piece, at, piece).map(([before, inside, after]) => {
    const characters = Array.from(value);
    for (const [place, hidden] of inside) characters[place] = hidden + (characters[place] ?? "");
    return `${before} ${characters.join("")} ${after}`;
  });
}
