/** How numbers, times and words are written and sorted (RFC 5646). */
export const locale = 'de-DE';
