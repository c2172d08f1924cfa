import type { NoticeDigest } from '../people.ts';
import { portalLink } from '../portal-addresses.ts';
import { mailTexts } from './mail-texts.ts';
import type { Letter } from './mailer.ts';

/** Writes an email about new notices. Its subject contains nothing that another person wrote. */
export function noticeLetter(
  { email, name, language, accounts, moreCount }: NoticeDigest,
  baseUrl: string,
  serviceName: string,
): Letter {
  const words = mailTexts(language).notices({
    name: oneLine(name),
    serviceName,
    count: accounts.reduce((sum, { lines }) => sum + lines.length, moreCount),
    lists: accounts.map(({ accountName, lines }) =>
      [`${oneLine(accountName)}:`, ...lines.map((line) => `- ${oneLine(line)}`)].join('\n'),
    ),
    moreCount,
    inboxLink: portalLink(baseUrl, 'notices'),
    preferencesLink: portalLink(baseUrl, 'settings/profile#notices'),
  });
  return { to: email, ...words };
}

/** Keeps text that people wrote on a single line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, lineCharactersMax);
}

const lineCharactersMax = 300;
