import type { MarkdownDocument } from './markdown.ts';

export type DocumentedProblems = Readonly<Record<string, { readonly status: number }>>;

/**
 * Compares `docs/errors.md` with the table of problem codes. Each code has one section that names its status
 * and whose heading is the code alone, because the `type` of a response links to it; no section describes an
 * unknown code.
 */
export function checkProblemCodes(
  path: string,
  markdown: MarkdownDocument,
  text: string,
  problems: DocumentedProblems,
): string[] {
  const codes = Object.entries(problems);
  if (codes.length === 0) return ['The table of problems is empty: there is nothing to compare with.'];
  const lines = text.split('\n');
  const findings: string[] = [];
  const isCode = (heading: string): boolean => /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(heading);
  const sections = markdown.headings.map((heading, index) => {
    const end = markdown.headings[index + 1]?.line ?? lines.length + 1;
    return { ...heading, body: lines.slice(heading.line, end - 1).join('\n') };
  });
  for (const [code, { status }] of codes) {
    const [section, second] = sections.filter(({ text: heading }) => heading === code);
    if (section === undefined) {
      findings.push(`${path} has no section for the code ${code}: add a heading that is the code alone.`);
    } else if (second !== undefined) {
      findings.push(`${path}:${second.line} is a second section for the code ${code}.`);
    } else if (!new RegExp(`\\b${status}\\b`).test(section.body)) {
      findings.push(`${path}:${section.line} does not say that ${code} has the status ${status}.`);
    }
  }
  for (const { text: heading, line } of sections) {
    if (isCode(heading) && !Object.hasOwn(problems, heading)) {
      findings.push(`${path}:${line} describes ${heading}, which is no code of the service.`);
    }
  }
  return findings;
}
