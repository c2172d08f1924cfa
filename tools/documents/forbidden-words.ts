/** Texts that no file of the repository may contain, each with the reason to show. */
const forbidden: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  {
    pattern: /\/(?:work|root|tmp\/brief)\//,
    why: 'the path of one machine means nothing on another',
  },
  {
    pattern:
      /\b(?:registry|npm|artifactory|nexus|verdaccio)(?:\.[a-z0-9-]+)+\.(?:com|org|net|io|dev|internal|local|corp)\b/i,
    why: 'the host of a package registry is set where npm is configured, not in the repository',
  },
  {
    pattern: /"resolved":\s*"https?:/,
    why: 'a lockfile with addresses installs from one registry only; .npmrc leaves them out',
  },
  {
    // The brackets keep this line from matching itself.
    pattern: /\b(?:TOD[O]|FIXM[E])\b/,
    why: 'work that is left belongs into an issue, where it is seen',
  },
];

export function checkWords(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    forbidden.flatMap(({ pattern, why }) => {
      const match = pattern.exec(line);
      return match ? [`${path}:${index + 1} says "${match[0]}": ${why}.`] : [];
    }),
  );
}
