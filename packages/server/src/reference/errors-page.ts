import { type ProblemCode, problems } from '@countersign/contract';
import { inline } from './markup.ts';
import { writePage } from './page.ts';

/** The page that the `type` of each problem names: a section for each code. */
export function errorsPage(): string {
  const codes = Object.keys(problems) as ProblemCode[];
  const statuses = [...Map.groupBy(codes, (code) => problems[code].status)].toSorted(
    ([one], [other]) => one - other,
  );
  const main = `<p>A refusal is answered as <code>application/problem+json</code> (RFC 9457). Programs match on <code>code</code>; the texts may change. The <code>requestId</code> is what the operator of the service can find the request by.</p>
${codes.map(article).join('\n')}`;
  return writePage({
    title: 'Error codes',
    contents: statuses.map(([status, below]) => ({
      anchor: below[0] ?? '',
      text: String(status),
      entries: below.map((code) => ({ anchor: code, text: code })),
    })),
    links: [{ href: '/docs', text: 'API reference' }],
    main,
  });
}

function article(code: ProblemCode): string {
  const { status, title, detail } = problems[code];
  return `<article id="${code}"><h3><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h3>
<p>${inline(title)}.</p>
<p class="quiet">${inline(detail)}</p></article>`;
}
