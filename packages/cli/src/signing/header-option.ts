import { usageError } from '../command-error.ts';

/** Header lines that decide about the connection, the frame or the signature. Each with what to do instead. */
const reserved: ReadonlyMap<string, string> = new Map([
  ...['signature', 'signature-input', 'content-digest', 'date'].map((name): [string, string] => [
    name,
    'It is part of the signature, and made for you.',
  ]),
  ['host', 'It is made from the URL, which is signed.'],
  ...['content-length', 'transfer-encoding', 'trailer', 'te'].map((name): [string, string] => [
    name,
    'It is made for you: the body is sent as it is.',
  ]),
  ...['connection', 'keep-alive', 'proxy-connection', 'upgrade', 'expect'].map((name): [string, string] => [
    name,
    'Each request has a connection of its own here.',
  ]),
]);

/**
 * Reads `Name: value`. Throws a usage error for what could become anything else than one header line, a line end above
 * all, and for the lines that this program makes itself.
 */
export function readHeaderOption(text: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw usageError(`The header ${JSON.stringify(text)} is not of the form 'Name: value'.`);
  }
  if (!/^[\x20-\x7e\t]*$/.test(value)) {
    throw usageError(
      `The value of the header ${name} has line ends or other characters that are not visible ASCII.`,
    );
  }
  const instead = reserved.get(name.toLowerCase());
  if (instead !== undefined) throw usageError(`Leave out the header ${name}. ${instead}`);
  return [name, value.trimEnd()];
}
