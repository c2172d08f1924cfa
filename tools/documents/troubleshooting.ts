import {
  type FindingCode,
  findings,
  type FindingTexts,
} from '../../packages/explain/src/findings/findings.ts';
import { troubleshootingIntroduction } from '../../packages/server/src/reference/troubleshooting-page.ts';
import {
  topicsWithFindings,
  type TroubleshootingTopic,
} from '../../packages/server/src/reference/troubleshooting-topics.ts';

/** Renders `docs/troubleshooting.md` from the tables that the service's page also uses. */
export function troubleshootingDocument(): string {
  return [
    '# Troubleshooting',
    `${troubleshootingIntroduction} The service shows the same at \`/docs/troubleshooting\`.`,
    'Made by `npm run docs:troubleshooting`; change the tables that it is made of.',
    ...topicsWithFindings().flatMap(({ topic, codes }) => section(topic, codes)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

const fenceLanguages = {
  Shell: 'sh',
  Python: 'python',
  Node: 'js',
  Java: 'java',
  PHP: 'php',
  Go: 'go',
  'C#': 'csharp',
} as const;

function section(
  { title, text, labels, snippets }: TroubleshootingTopic,
  codes: readonly FindingCode[],
): readonly string[] {
  return [
    `## ${title}`,
    text,
    ...snippets.flatMap(({ language, code }) => [
      `${language}:`,
      `\`\`\`${fenceLanguages[language]}\n${code}\n\`\`\``,
    ]),
    ...codes.flatMap((code) => finding(code, labels)),
  ];
}

function finding(
  code: FindingCode,
  [rightLabel, wrongLabel]: TroubleshootingTopic['labels'],
): readonly string[] {
  const {
    cause,
    mend,
    example: [right, wrong],
  }: FindingTexts = findings[code];
  return [
    `### \`${code}\``,
    `${cause}.`,
    `- Example: ${rightLabel} ${inCode(right)}, ${wrongLabel} ${inCode(wrong)}\n- Do: ${mend}.`,
  ];
}

function inCode(text: string): string {
  return text === text.trim() ? `\`${text}\`` : `\`\` ${text} \`\``;
}
