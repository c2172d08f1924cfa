import type { MailLanguage } from '../people/identity/identity.ts';
import { englishSentence } from './english-sentence.ts';
import { germanSentence } from './german-sentence.ts';
import type { NoticeRecord } from './inbox.ts';

/** What a sentence about a notice says. */
export type ToldNotice = Omit<NoticeRecord, 'isRead' | 'noticeId'>;

const sentences: Readonly<Record<MailLanguage, (notice: ToldNotice) => string>> = {
  en: englishSentence,
  de: germanSentence,
};

/** Returns a notice's content as one or two plain sentences, for emails. */
export function noticeSentence(notice: ToldNotice, language: MailLanguage): string {
  return sentences[language](notice);
}
