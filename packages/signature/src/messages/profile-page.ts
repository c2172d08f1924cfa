import { describeRule } from './covered-rules.ts';
import type { DefinedProfile, DefinedRule } from './define-profile.ts';
import type { BoundPart } from './message-profile.ts';

/** Writes a profile as a page of Markdown: what its signatures bind, what they leave open, and each of its rules. */
export function profilePage(defined: DefinedProfile): string {
  const { profile, rules, tags, binds, leavesOpen } = defined;
  const { components, time, replay, digests = [] } = profile;
  const selectors = [
    ...(profile.select?.label === undefined ? [] : [`the label \`${profile.select.label}\``]),
    ...(tags === undefined ? [] : [`the tag ${tags.map((tag) => `\`${tag}\``).join(' or ')}`]),
  ];
  const rows: readonly (readonly [string, string])[] = [
    ['Messages', profile.message === 'request' ? 'requests' : 'responses'],
    [
      'Selected signature',
      selectors.length === 0
        ? 'the only signature; with several, none'
        : `the one with ${selectors.join(' and ')}${profile.select?.untagged === true ? ', or without a tag' : ''}${profile.select?.complete === true ? '; of several, the one that covers what is required' : ''}`,
    ],
    [
      'Covers',
      rules.length === 0 ? 'nothing of the message' : rules.map(describeRuleWithCondition).join(', '),
    ],
    ['May also cover', components.others === 'any' ? 'anything' : 'nothing'],
    ['Order', components.order === 'fixed' ? 'as above' : 'any'],
    [
      'Parameters',
      Object.entries(profile.parameters)
        .map(([name, rule]) => `\`${name}\` ${rule}`)
        .join(', '),
    ],
    ['Algorithms', profile.algorithms.map((name) => `\`${name}\``).join(', ')],
    ['Digests', digests.length === 0 ? 'none' : digests.map((name) => `\`${name}\``).join(', ')],
    [
      'Age',
      seconds(
        time.maxAgeSeconds,
        time.neverExpires === true ? '**no limit: a signature never expires**' : 'until `expires`',
      ),
    ],
    ['Maximum clock lead', seconds(time.maxFutureSeconds, 'no limit')],
    ['From `created` to `expires`', seconds(time.maxLifeSeconds, 'no limit')],
    ...(time.expiresGraceSeconds === undefined
      ? []
      : [['After `expires`', seconds(time.expiresGraceSeconds, '')] as const]),
    ...(profile.nonceLength === undefined
      ? []
      : [['Nonce', `${profile.nonceLength.min} to ${profile.nonceLength.max} characters`] as const]),
    ...(profile.fieldTypes === undefined
      ? []
      : [
          [
            'Structured fields',
            Object.entries(profile.fieldTypes)
              .map(([name, type]) => `\`${name}\`, a ${type}`)
              .join(', '),
          ] as const,
        ]),
    ['Replays recognized', replayWords[replay]],
  ];
  return [
    `## ${profile.id}`,
    '',
    `${profile.title}.${profile.source === undefined ? '' : ` Defined by <${profile.source}>.`}`,
    '',
    `Binds: **${listed(binds)}**.${leavesOpen.length === 0 ? '' : ` Does not bind: **${listed(leavesOpen)}**; an intermediary can change these.`}`,
    '',
    ...(profile.notes ?? []).flatMap((note) => [note, '']),
    '| | |',
    '|---|---|',
    ...rows.map(([name, text]) => `| ${name} | ${text} |`),
    '',
  ].join('\n');
}

const replayWords: Readonly<Record<DefinedProfile['profile']['replay'], string>> = {
  nonce: 'by the nonce',
  base: 'by the signature base',
  'nonce or base': 'by the nonce, or else by the signature base',
  'nonce if sent': 'by the nonce; without one, not checked',
  off: 'not checked',
};

function describeRuleWithCondition(rule: DefinedRule): string {
  const text = `\`${describeRule(rule).replaceAll(' or ', '` or `')}\``;
  if (typeof rule.when === 'object') return `${text} for ${rule.when.methods.join(', ')}`;
  return (
    text + { always: '', body: ' with a body', query: ' with a query', present: ' if it is there' }[rule.when]
  );
}

function seconds(count: number | undefined, otherwise: string): string {
  return count === undefined ? otherwise : `at most ${count} s`;
}

function listed(parts: readonly BoundPart[]): string {
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
