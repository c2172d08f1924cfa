import type { SuiteResult } from './suite-result.ts';

/** The rule for files with a path prefix: whether they run once more, alone, after a failure. */
export interface SecondTryRule {
  readonly path: string;
  readonly secondTry: 'once' | 'never';
  readonly why: string;
}

/**
 * The files of the tier of programs; the first matching rule applies. Never allowed for tests that check that
 * a request was accepted, replayed, lost or shown to another person: a gate that lets every tenth forgery in
 * is open.
 */
export const secondTryRules: readonly SecondTryRule[] = [
  { path: 'test/cluster/', secondTry: 'never', why: 'Nodes may accept a signature once between them.' },
  { path: 'test/crash/', secondTry: 'never', why: 'What was acknowledged is kept, and nothing is replayed.' },
  { path: 'test/faults/', secondTry: 'never', why: 'Nothing is accepted twice, and nothing is lost.' },
  { path: 'test/model/', secondTry: 'never', why: 'No order of events accepts a signature twice.' },
  { path: 'test/rolling/', secondTry: 'never', why: 'No request is lost.' },
  { path: 'test/soak/', secondTry: 'never', why: 'Every response is right.' },
  { path: 'test/strangers/', secondTry: 'never', why: 'Strangers get nothing and cost the others nothing.' },
  { path: 'test/clients/', secondTry: 'never', why: 'Every random request is accepted.' },
  { path: 'test/forwarded/', secondTry: 'never', why: 'A changed request is not taken for ours.' },
  { path: 'packages/cli/test/rotate', secondTry: 'never', why: 'A rotation loses no request and no key.' },
  { path: 'packages/gate/test/authorizers/', secondTry: 'never', why: 'What proxies let in.' },
  { path: 'packages/gate/test/replay/', secondTry: 'never', why: 'A signature is accepted once.' },
  { path: 'packages/server/test/access/', secondTry: 'never', why: 'Who is let in.' },
  { path: 'packages/server/test/replay/', secondTry: 'never', why: 'A signature is accepted once.' },
  {
    path: 'packages/server/test/threads/',
    secondTry: 'never',
    why: 'A signature is accepted once by all threads.',
  },
  { path: 'packages/server/test/management/races', secondTry: 'never', why: 'No change is lost.' },
  {
    path: 'packages/server/test/management/all-or-nothing',
    secondTry: 'never',
    why: 'No change is lost or halved.',
  },
  { path: 'packages/server/test/sessions/', secondTry: 'never', why: 'Who is let in, and what they see.' },
  { path: 'packages/server/test/identity/', secondTry: 'never', why: 'Who is let in.' },
  {
    path: 'packages/server/test/registry/',
    secondTry: 'never',
    why: 'No change is lost, whole accounts stay apart.',
  },
  { path: 'packages/', secondTry: 'once', why: 'Programs start late, or answer late.' },
  { path: 'test/', secondTry: 'once', why: 'Browsers, shells and tool chains start late, or answer late.' },
  { path: 'tools/', secondTry: 'once', why: 'Tool chains.' },
];

/** Words in the name of a test, or of a suite around it, that exclude a second attempt in any file. */
const firstTryWords =
  /\b(?:accept(?:s|ed)?|admit(?:s|ted)?|lets? in|replay(?:s|ed)?|twice|forge[dry]*|lost|loses?|leaks?|somebody else|another account|other accounts?|strangers?)\b/i;

/**
 * Returns why a failed test file gets no second attempt.
 *
 * @returns undefined when it gets one
 */
export function whyNoSecondTry(
  file: string,
  { failures }: Pick<SuiteResult, 'failures'>,
): string | undefined {
  const rule = secondTryRules.find(({ path }) => file.startsWith(path));
  if (rule === undefined) return 'no rule of tools/suites/second-tries.ts names its folder';
  if (rule.secondTry === 'never') return rule.why;
  const telling = failures.find(({ name }) => firstTryWords.test(name));
  return telling === undefined ? undefined : `its name says that it must never fail: ${telling.name}`;
}
