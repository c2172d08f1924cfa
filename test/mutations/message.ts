/** A request as text, for mutations to change. */
export interface Message {
  readonly method: string;
  readonly targetUri: string;
  readonly headers: readonly (readonly [string, string])[];
  /** One code point up to U+00FF for each octet. */
  readonly body: string;
}

/** Joins the head as it goes over the wire, so that a mutation can cross every boundary. */
export function headText({ method, targetUri, headers }: Message): string {
  return [`${method} ${targetUri}`, ...headers.map(([name, value]) => `${name}: ${value}`)].join('\r\n');
}

/** Splits a head leniently; the verifier gets the result, whatever it is. */
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
 * Returns everything that a message's signature covers, as one text. Messages with equal texts are equal to the profile: names
 * ignore case, values exclude outer white space, and other headers are not signed.
 */
export function signedMeaning({ method, targetUri, headers, body }: Message): string {
  const fields = headers
    .map(([name, value]) => [name.toLowerCase(), value.replace(/^[ \t]+|[ \t]+$/g, '')] as const)
    .filter(([name]) => profileFields.includes(name))
    .toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return JSON.stringify([method, targetUri, fields, body]);
}
