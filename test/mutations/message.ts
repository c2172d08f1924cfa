/** A request as text of octets: what a mutation changes. */
export interface Message {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: readonly (readonly [string, string])[];
  /** One code point up to U+00FF for each octet. */
  readonly body: string;
}

/** The head as one text, as it would stand on the wire, so that a mutation can cross every border in it. */
export function headText({ method, targetUri, headers }: Message): string {
  return [`${method} ${targetUri}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
}

/** Splits a head again, leniently: whatever comes out is offered to the verifier. */
export function messageFrom(head: string, body: string): Message {
  const [first = '', ...lines] = head.split('\r\n');
  const space = first.indexOf(' ');
  return {
    method: space < 0 ? first : first.slice(0, space),
    targetUri: space < 0 ? '' : first.slice(space + 1),
    headers: lines.map((line) => {
      const colon = line.indexOf(':');
      return colon < 0 ? ([line, ''] as const) : ([line.slice(0, colon), line.slice(colon + 1)] as const);
    }),
    body,
  };
}

const profileFields = ['signature-input', 'signature', 'date', 'content-digest'];

/**
 * Everything of a message that its signature is about, as one text. Two messages with the same text are the same
 * request to the profile: names have no case, outer white space is not part of a value, other headers are not signed.
 */
export function signedMeaning({ method, targetUri, headers, body }: Message): string {
  const fields = headers
    .map(([name, value]) => [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')] as const)
    .filter(([name]) => profileFields.includes(name))
    .toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return JSON.stringify([method, targetUri, fields, body]);
}
