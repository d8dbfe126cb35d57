/** Messages of other programs end in different ways. Another sentence can follow the result. */
export function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
