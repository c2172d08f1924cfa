/** As in the contract. */
export const reasonLength = { min: 10, max: 500 } as const;

export function normalized(reason: string): string {
  return reason.trim().replaceAll(/\s+/g, ' ');
}

export function lengthOf(reason: string): number {
  return Array.from(normalized(reason)).length;
}
