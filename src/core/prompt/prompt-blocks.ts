import { terminalLine, terminalText } from "../text/terminal-text.ts";

/**
 * Text that is not ours stands between two marks that carry the prompt's own nonce. Whoever wrote the text could not know
 * the nonce, so the text cannot end its own block; marks that merely look like ours are broken all the same, because a
 * model compares less exactly than a program.
 */
export function dataBlock(label: string, text: string, nonce: string): string {
  requireNonce(nonce);
  const name = terminalLine(label, 80).replace(/[<>]/g, "");
  return `<<<BEGIN DATA ${nonce}: ${name}>>>\n${quoteData(text, nonce)}\n<<<END DATA ${nonce}>>>`;
}

/** A short value of ours or of the settings, fit to stand within a sentence. */
export function inlineValue(value: string): string {
  return breakMarks(terminalLine(value, 4_096));
}

/** Eight characters or more that a caller drew at random for one prompt. */
export function requireNonce(nonce: string): void {
  if (!/^[A-Za-z0-9]{8,64}$/.test(nonce))
    throw new RangeError(`a nonce is 8 to 64 letters and digits, got ${nonce.length} characters`);
}

function quoteData(text: string, nonce: string): string {
  return breakMarks(terminalText(text).replaceAll(nonce, "(removed)")).replace(/\n+$/, "");
}

/** Also breaks marks that span lines, or that use full-width and other brackets that look like `<`. */
function breakMarks(text: string): string {
  return text.replace(/[<＜‹«⟨〈]{2,}\s*\/?\s*(BEGIN|END)\s+DATA/giu, "(quoted mark: $1 DATA");
}
