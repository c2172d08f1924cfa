import { documents, type ListedDocument } from 'virtual:documents';
import { isProgrammingLanguage, type ProgrammingLanguage } from '../session/programming-language.ts';

/** A document that exists for several languages: `signing/go` is one of `signing`, for `go`. */
export interface LanguageDocument {
  readonly family: string;
  readonly language: ProgrammingLanguage;
}

/** Returns the language that a document is about; undefined if it is about none. */
export function languageOf({ slug }: Pick<ListedDocument, 'slug'>): LanguageDocument | undefined {
  const [family = '', language = ''] = slug.split('/');
  return isProgrammingLanguage(language) ? { family, language } : undefined;
}

/** Returns the same document for another language; undefined if there is none. */
export function documentIn(family: string, language: ProgrammingLanguage): ListedDocument | undefined {
  return documents.find(({ slug }) => slug === `${family}/${language}`);
}
