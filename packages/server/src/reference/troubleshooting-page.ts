import { type FindingCode, findings, type FindingTexts } from '@countersign/explain/findings';
import { escapeHtml, inline } from './markup.ts';
import { heading, writePage } from './page.ts';
import { type Snippet, topicsWithFindings, type TroubleshootingTopic } from './troubleshooting-topics.ts';

/** Renders the page that each finding's `page` links to: a section per topic with an article per code. */
export function troubleshootingPage(): string {
  const topics = topicsWithFindings();
  const main = `<p>${inline(troubleshootingIntroduction)}</p>
${topics.map(({ topic, codes: below }) => section(topic, below)).join('\n')}`;
  return writePage({
    title: 'Troubleshooting',
    contents: topics.map(({ topic, codes: below }) => ({
      anchor: topic.anchor,
      text: topic.title,
      entries: below.map((code) => ({ anchor: code, text: code })),
    })),
    links: [
      { href: '/docs', text: 'API reference' },
      { href: '/docs/errors', text: 'Error codes' },
    ],
    main,
  });
}

/** Introduces the findings, on the page and in the document. */
export const troubleshootingIntroduction =
  '`countersign explain` tells you why a signed request is rejected. This page lists every finding with its cause, an example and the fix. A *proven* finding is certain: the hash in your signature or digest matches the text that the mistake produces. If your request was right and something on its way changed it, add the request as you sent it: `countersign explain received.http --sent sent.http`.';

function section(
  { anchor, title, text, labels, snippets }: TroubleshootingTopic,
  codes: readonly FindingCode[],
) {
  return `<section id="${anchor}">${heading(2, anchor, escapeHtml(title))}
<p>${inline(text)}</p>
${snippets.map(snippet).join('\n')}
${codes.map((code) => article(code, labels)).join('\n')}</section>`;
}

function snippet({ language, code }: Snippet): string {
  return `<h4>${escapeHtml(language)}</h4>\n<pre>${escapeHtml(code)}</pre>`;
}

function article(code: FindingCode, [rightLabel, wrongLabel]: TroubleshootingTopic['labels']): string {
  const {
    cause,
    mend,
    example: [right, wrong],
  }: FindingTexts = findings[code];
  return `<article id="${code}">${heading(3, code, `<code>${code}</code>`)}
<p>${inline(cause)}.</p>
<dl><div><dt>${rightLabel}</dt><dd><code>${escapeHtml(right)}</code></dd></div><div><dt>${wrongLabel}</dt><dd><code>${escapeHtml(wrong)}</code></dd></div></dl>
<p>${inline(mend)}.</p></article>`;
}
