import { type ProblemCode, problems } from '@countersign/contract';
import { escapeHtml, inline } from './markup.ts';
import { heading, writePage } from './page.ts';
import { http } from '@countersign/gate/node-http';

/** Renders the page that each problem's `type` links to, with a section for each code. */
export function errorsPage(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const statuses = [...Map.groupBy(codes, (code) => problems[code].status)].toSorted(
    ([one], [other]) => one - other,
  );
  const main = `<p>A rejection has an <code>application/problem+json</code> body (RFC 9457). Match on its <code>code</code>; the texts may change. The service's operator can find the request by its <code>requestId</code>.</p>
${statuses.map(section).join('\n')}`;
  return writePage({
    title: 'Error codes',
    contents: statuses.map(([status, below]) => ({
      anchor: anchorOf(status),
      text: String(status),
      entries: below.map((code) => ({ anchor: code, text: code })),
    })),
    links: [
      { href: '/docs', text: 'API reference' },
      { href: '/docs/troubleshooting', text: 'Troubleshooting' },
    ],
    main,
  });
}

function anchorOf(status: number): string {
  return `status-${status}`;
}

function section([status, codes]: [number, readonly ProblemCode[]]): string {
  const anchor = anchorOf(status);
  const reason = escapeHtml(http.STATUS_CODES[status] ?? '');
  return `<section id="${anchor}">${heading(2, anchor, `${status} <span class="quiet">${reason}</span>`)}
${codes.map(article).join('\n')}</section>`;
}

function article(code: ProblemCode): string {
  const { title, detail } = problems[code];
  return `<article id="${code}">${heading(3, code, `<code>${code}</code>`)}
<p>${inline(title)}.</p>
<p class="quiet">${inline(detail)}</p></article>`;
}
