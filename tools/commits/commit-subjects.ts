import { spawnSync } from 'node:child_process';

const subjectLengthMax = 72;

/** Commits from before this rule are ignored; unlike a hash, a date survives a rewritten history. */
const ruledSince = '2026-11-22T04:20:00Z';

/** Returns what is wrong with the first line of a commit message; undefined if nothing is. */
export function subjectMistake(message: string): string | undefined {
  const subject = message.split('\n').find((line) => !line.startsWith('#')) ?? '';
  if (subject.trim() === '') return 'The subject is empty.';
  const length = Array.from(subject).length;
  if (length <= subjectLengthMax) return undefined;
  return `The subject has ${length} characters, at most ${subjectLengthMax} are allowed: ${subject}`;
}

/**
 * Checks the subjects of the commits that HEAD can reach: a shallow clone has fewer, and a copy without a
 * history has none.
 */
export function checkSubjects(
  root: string,
  since: string = ruledSince,
): { count: number; mistakes: string[] } {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%aI %h %s'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) return { count: 0, mistakes: [] };
  const commits = stdout
    .split('\n')
    .map((line) => /^(\S+) (\S+) (.*)$/.exec(line) ?? [])
    .filter(([, authored]) => authored !== undefined && Date.parse(authored) >= Date.parse(since));
  return {
    count: commits.length,
    mistakes: commits.flatMap(([, , hash, subject = '']) => {
      const mistake = subjectMistake(subject);
      return mistake === undefined ? [] : [`${hash}: ${mistake}`];
    }),
  };
}
