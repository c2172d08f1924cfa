/** How numbers, times and words are written and sorted (RFC 5646): English, with days before months. */
export const locale = 'en-GB';
