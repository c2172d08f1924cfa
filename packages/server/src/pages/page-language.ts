import { readCookie, type RequestHead, valuesOf } from '@countersign/gate';

/** The portal writes it when a person chooses a language. */
const languageCookie = 'countersign-language';

/**
 * Chooses the language of a page: the one that the person chose, else the one that the browser prefers among those that
 * there are (RFC 9110 section 12.5.4, by the first subtag), else the first.
 *
 * @param available tags of languages (RFC 5646), at least one
 */
export function languageOf({ rawHeaders }: RequestHead, available: readonly string[]): string {
  const chosen = readCookie(valuesOf(rawHeaders, 'cookie').join('; '), languageCookie);
  if (chosen !== undefined && available.includes(chosen)) return chosen;
  const preferred = preferences(valuesOf(rawHeaders, 'accept-language').join(','));
  return preferred.find((each) => available.includes(each)) ?? available[0]!;
}

/** The first subtags of the languages that a browser accepts, the most wanted first. */
function preferences(header: string): readonly string[] {
  return header
    .split(',', rangesMax)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
      return { language: tag.split('-', 1)[0]!, weight: Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight)
    .map(({ language }) => language);
}

/** Browsers send fewer. */
const rangesMax = 32;
