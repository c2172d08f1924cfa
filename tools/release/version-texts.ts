/** Returns why a version cannot follow another; undefined if it can. The same one can be released once. */
export function versionMistake(version: string, present: string): string | undefined {
  if (!/^\d+\.\d+\.\d+(?:-[\da-z.-]+)?$/i.test(version)) return `"${version}" is no version such as 1.2.3.`;
  if (compare(version, present) < 0) return `${version} is older than ${present}, which the packages have.`;
  return undefined;
}

/** Compares the numbers of two versions; a pre-release comes before its release. */
function compare(one: string, other: string): number {
  const numbers = (version: string): number[] => version.split(/[.-]/).slice(0, 3).map(Number);
  const [a, b] = [numbers(one), numbers(other)];
  for (const [index, number] of a.entries()) if (number !== b[index]) return number - (b[index] ?? 0);
  return Number(other.includes('-')) - Number(one.includes('-'));
}

/** Sets the version of a manifest or of the lockfile, and of the packages in `names` wherever it depends on them. */
export function withVersion(json: string, version: string, names: readonly string[]): string {
  const own = new Set(names);
  const isLockfile = json.includes('"lockfileVersion"');
  let isOwn = true;
  return json
    .split('\n')
    .map((line) => {
      // In the lockfile, a block says which package its version belongs to.
      const block = isLockfile ? /^ {4}"(.*)": \{$/.exec(line)?.[1] : undefined;
      if (block !== undefined) isOwn = block === '' || block.startsWith('packages/');
      return line
        .replace(/^(\s*"version": )"[^"]*"/, (text, start: string) => (isOwn ? `${start}"${version}"` : text))
        .replace(/"([^"]+)": "(\d[^"]*)"/g, (text, name: string) =>
          own.has(name) ? `"${name}": "${version}"` : text,
        );
    })
    .join('\n');
}

const unreleased = '## Unreleased\n';

/** Returns the unreleased entries of the changelog; empty if there are none. */
export function unreleasedEntries(changelog: string): string {
  const start = changelog.indexOf(unreleased);
  if (start < 0) return '';
  const rest = changelog.slice(start + unreleased.length);
  const end = rest.search(/^## /m);
  return (end < 0 ? rest : rest.slice(0, end)).trim();
}

/** Moves the unreleased entries to a version, and leaves an empty list of unreleased ones. */
export function releasedChangelog(changelog: string, version: string, date: string): string {
  return changelog.replace(unreleased, `${unreleased}\n## ${version}, ${date}\n`);
}
