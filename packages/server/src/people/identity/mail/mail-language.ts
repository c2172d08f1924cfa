/** The languages in which the service writes emails, by their tags (RFC 5646), the usual one first. */
export const mailLanguages = ['en', 'de'] as const;

export type MailLanguage = (typeof mailLanguages)[number];

/** Returns a language in which there are emails: the first of those that are wanted and known, else English. */
export function mailLanguageOf(...wanted: readonly (string | null | undefined)[]): MailLanguage {
  const known = wanted.flatMap((one) => mailLanguages.filter((language) => language === one));
  return known[0] ?? mailLanguages[0];
}
