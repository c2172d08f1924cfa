import { createHash } from 'node:crypto';
import type { CoveredPart, PlainMessage } from './interop-cases.ts';
import type { PeerTask } from './interop-peers.ts';

/** A signed message in which one thing was changed on the way. */
export interface Tampered {
  /** Says what was changed. */
  readonly what: string;
  readonly task: PeerTask;
}

/**
 * Changes each covered component, the time or the key's name, and one bit of the signature, one at a time.
 *
 * @param otherKey another key for the same algorithm
 * @param withBody also changes a body whose digest is covered: only a comparison with the digest can tell
 */
export function tamperedTasks(task: PeerTask, otherKey: string, withBody: boolean): readonly Tampered[] {
  const coversBody = task.components.some(({ name, req }) => name === 'content-digest' && !req);
  return [
    ...task.components.map((part) => ({
      what: `${part.name}${part.req ? ' of the request' : ''}`,
      task: withChanged(task, part),
    })),
    { what: 'a parameter', task: onSigned(task, changeLines('signature-input', changeParameter)) },
    { what: 'a bit of the signature', task: onSigned(task, changeLines('signature', changeBit)) },
    { what: 'the key', task: { ...task, key: otherKey } },
    ...(withBody && coversBody
      ? [{ what: 'the body', task: onSigned(task, (message) => ({ ...message, body: `${message.body} ` })) }]
      : []),
  ];
}

function onSigned(task: PeerTask, change: (message: PlainMessage) => PlainMessage): PeerTask {
  return task.response === undefined
    ? { ...task, request: change(task.request) }
    : { ...task, response: change(task.response) };
}

function withChanged(task: PeerTask, part: CoveredPart): PeerTask {
  if (part.req || part.name === '@status' || task.response === undefined)
    return part.name === '@status'
      ? { ...task, response: { ...task.response!, status: 202 } }
      : { ...task, request: changed(task.request, part) };
  return { ...task, response: changed(task.response, part) };
}

function changed(message: PlainMessage, { name }: CoveredPart): PlainMessage {
  const url = message.url ?? '';
  const host = /^https:\/\/([^/]*)/.exec(url)?.[1] ?? '';
  switch (name) {
    case '@method':
      return { ...message, method: 'DELETE' };
    case '@authority': {
      const other = { ...message, url: url.replace(host, 'evil.example') };
      return changeLines('host', () => 'evil.example')(other);
    }
    case '@target-uri':
    case '@path':
      return { ...message, url: url.replace(/(?=\?|$)/, '/x') };
    case '@query':
      return { ...message, url: `${url}&x=1` };
    case 'content-digest':
      return changeLines(name, (value) => {
        const algorithm = value.slice(0, value.indexOf('='));
        return `${algorithm}=:${createHash(algorithm.replace('-', '')).update('other').digest('base64')}:`;
      })(message);
    case 'content-length':
      return changeLines(name, () => '1')(message);
    case 'signature-agent':
      return changeLines(name, (value) => value.replace('agent.example', 'evil.example'))(message);
    default:
      return changeLines(name, (value) => `${value}x`)(message);
  }
}

function changeLines(
  name: string,
  change: (value: string) => string,
): (message: PlainMessage) => PlainMessage {
  return (message) => ({
    ...message,
    headers: message.headers.map(([header, value]) => [
      header,
      header.toLowerCase() === name ? change(value) : value,
    ]),
  });
}

/** One second earlier, or another name of the key: the verifier has no other reason to reject it. */
function changeParameter(value: string): string {
  const earlier = value.replace(
    /created=(\d+)/,
    (_text, seconds: string) => `created=${Number(seconds) - 1}`,
  );
  return earlier === value ? value.replace(/\)/, ');created=1') : earlier;
}

function changeBit(value: string): string {
  const [, start, base64, end] = /^(.*?:)([^:]+)(:.*)$/.exec(value)!;
  const bytes = Buffer.from(base64!, 'base64');
  bytes[bytes.length >> 1]! ^= 1;
  return start! + bytes.toString('base64') + end!;
}
