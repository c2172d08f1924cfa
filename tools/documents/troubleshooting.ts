import {
  type FindingCode,
  findings,
  type FindingTexts,
} from '../../packages/explain/src/findings/findings.ts';
import { mistakeExamples } from '../../packages/server/src/reference/troubleshooting-examples.ts';
import { troubleshootingIntroduction } from '../../packages/server/src/reference/troubleshooting-page.ts';
import {
  topicOf,
  troubleshootingTopics,
  type TroubleshootingTopic,
} from '../../packages/server/src/reference/troubleshooting-topics.ts';

/** The text of `docs/troubleshooting.md`: what the page of the service says, from the same tables. */
export function troubleshootingDocument(): string {
  const codes = Object.keys(findings) as FindingCode[];
  const groups = Map.groupBy(codes, topicOf);
  return [
    '# Troubleshooting',
    `${troubleshootingIntroduction} The service shows the same at \`/docs/troubleshooting\`.`,
    'Made by `npm run docs:troubleshooting`; change the tables that it is made of.',
    ...troubleshootingTopics.flatMap((topic) => section(topic, groups.get(topic) ?? [])),
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
  const { cause, mend }: FindingTexts = findings[code];
  const [right, wrong] = mistakeExamples[code];
  return [
    `### \`${code}\``,
    `${cause}.`,
    `- Example: ${rightLabel} ${inCode(right)}, ${wrongLabel} ${inCode(wrong)}\n- Do: ${mend}.`,
  ];
}

function inCode(text: string): string {
  return text === text.trim() ? `\`${text}\`` : `\`\` ${text} \`\``;
}
