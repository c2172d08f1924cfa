/** Makes a sentence of a reason: the service writes them as the middle of one, for the log. */
export function asSentence(reason: string): string {
  const start = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?…]$/.test(start) ? start : `${start}.`;
}
