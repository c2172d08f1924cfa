import type { NoticeDigest } from '../people.ts';
import { portalLink } from '../portal-addresses.ts';
import type { Letter } from './mailer.ts';

/** Writes an email about new notices. Its subject contains nothing that another person wrote. */
export function noticeLetter(
  { email, name, accounts, moreCount }: NoticeDigest,
  baseUrl: string,
  serviceName: string,
): Letter {
  const count = accounts.reduce((sum, { lines }) => sum + lines.length, moreCount);
  const lists = accounts.map(({ accountName, lines }) =>
    [`${oneLine(accountName)}:`, ...lines.map((line) => `- ${oneLine(line)}`)].join('\n'),
  );
  const more = moreCount === 0 ? [] : [`${moreCount} more in the inbox.`];
  return {
    to: email,
    subject: `${count === 1 ? '1 new notice' : `${count} new notices`} from ${serviceName}`,
    text: `Hello ${oneLine(name)},

${[...lists, ...more].join('\n\n')}

Read them in your inbox:
${portalLink(baseUrl, 'notices')}

Choose which notices you get by email:
${portalLink(baseUrl, 'settings/profile#notices')}
`,
  };
}

/** Keeps text that people wrote on a single line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').slice(0, lineCharactersMax);
}

const lineCharactersMax = 300;
