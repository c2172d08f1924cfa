/** A text that is expensive to read, of the requested length. */
export interface HostileText {
  readonly what: string;
  readonly ofLength: (characters: number) => string;
}

function repeated(what: string, part: string, begin = ''): HostileText {
  return {
    what,
    ofLength: (characters) =>
      (begin + part.repeat(Math.max(1, Math.ceil((characters - begin.length) / part.length))))
        .slice(0, characters)
        // Half a surrogate pair cannot be sent in a target.
        .toWellFormed(),
  };
}

/** Texts for each member and parameter: the hardest for normalization, patterns, key readers and searches. */
export const hostileTexts: readonly HostileText[] = [
  repeated('letters', 'x'),
  repeated('spaces', ' ', 'x'),
  repeated('a ligature of 18 letters', '\u{fdfa}'),
  repeated('combining marks', '\u{301}\u{316}', 'a'),
  repeated('Hangul syllables', '\u{ac01}'),
  repeated('emoji with joiners', '\u{1f469}\u{200d}'),
  repeated('accented capitals', '\u{1e9e}\u{130}\u{c5}'),
  repeated('percent signs and underscores', '%_'),
  repeated('backslashes and quotes', '\\"'),
  repeated('colons', ':', '::1'),
  repeated('dots and digits', '1.'),
  repeated('Base64', 'MIIB'),
  repeated('lines of a key', '-----BEGIN PUBLIC KEY-----\n'),
  repeated('an ssh key', 'AAAAB3NzaC1yc2E', 'ssh-rsa '),
  repeated('a JWK', '{"kty":"RSA","n":', ''),
  repeated('hyphens between letters', 'a-'),
  repeated('line ends', '\r\n', 'x'),
];
