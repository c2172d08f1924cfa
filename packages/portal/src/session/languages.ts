/**
 * The languages of the portal by their tags (RFC 5646), each under its own name. Each is a build of its own, in which
 * `#messages/` are its texts, so that nobody loads two. The service chooses the build (`pages/page-language.ts` there).
 */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** The language of the page that is shown. */
export function shownLanguage(): Language {
  const { lang } = document.documentElement;
  return Object.hasOwn(languages, lang) ? (lang as Language) : 'en';
}

const yearSeconds = 365 * 24 * 60 * 60;

/** Loads the page in another language, and keeps the choice in this browser. A cookie, because the service reads it. */
export function chooseLanguage(language: Language): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // Lax: a link in an email leads to the page in the person's language, too.
  document.cookie = `countersign-language=${language}; Path=/portal; Max-Age=${yearSeconds}; SameSite=Lax${secure}`;
  location.reload();
}
