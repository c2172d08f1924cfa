import { CommandError } from '../exits.ts';
import type { ChosenConnection } from './chosen-connection.ts';

/** Turns a network error into one that says what to check. `timedOutSeconds` is set if the time ran out. */
export function unreachable(
  error: unknown,
  url: URL,
  timedOutSeconds: number | undefined,
  { address, authorities }: ChosenConnection = {},
): CommandError {
  if (error instanceof CommandError) return error;
  const { exit, code, message } = networkError(error, url, timedOutSeconds, authorities !== undefined);
  if (address === undefined) return new CommandError(exit, code, message);
  return new CommandError(exit, code, `${message} --resolve led to the address ${address}.`);
}

function networkError(
  error: unknown,
  url: URL,
  timedOutSeconds: number | undefined,
  hasAuthorities: boolean,
): CommandError {
  const fail = (code: string, message: string): CommandError =>
    new CommandError('unreachable', code, message);
  if (timedOutSeconds !== undefined) {
    return fail(
      'answer_timeout',
      `${url.host} did not answer completely within ${timedOutSeconds} s (--timeout).`,
    );
  }
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasons.get(code);
  if (reason !== undefined) return fail('service_unreachable', reason(url));
  if (/^(?:ERR_TLS|ERR_SSL|CERT_)|CERT|SIGNATURE|^EPROTO$|^UNABLE_TO/.test(code))
    return fail('tls_failed', tlsReason(code, url, hasAuthorities));
  if (code.startsWith('HPE_'))
    return fail('answer_invalid', `${url.host} answered with something that is not HTTP (${code}).`);
  return fail('service_unreachable', `${url.host} could not be reached (${code || 'no reason given'}).`);
}

const reasons: ReadonlyMap<string, (url: URL) => string> = new Map([
  [
    'ECONNREFUSED',
    (url: URL) =>
      `Nothing listens at ${url.host}. Start the service there, or check the URL's host and port.`,
  ],
  ['ENOTFOUND', (url: URL) => `There is no host named ${url.hostname}. Check the host of the URL.`],
  ['EAI_AGAIN', (url: URL) => `The name ${url.hostname} cannot be looked up now. Check the network.`],
  ['ETIMEDOUT', (url: URL) => `${url.host} does not answer. Check the network, and the port of the URL.`],
  ['EHOSTUNREACH', (url: URL) => `There is no way to ${url.host} from here. Check the network.`],
  ['ENETUNREACH', (url: URL) => `There is no way to ${url.host} from here. Check the network.`],
  ['ECONNRESET', endedEarly],
  ['EPIPE', endedEarly],
]);

function endedEarly(url: URL): string {
  return `${url.host} ended the connection before the answer was complete. Whether it acted on the request is not known.`;
}

function tlsReason(code: string, url: URL, hasAuthorities: boolean): string {
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return `${url.host} does not speak TLS there (${code}). Is the URL meant to begin with http://?`;
  }
  if (hasAuthorities) {
    return (
      `The certificate of ${url.host} is not trusted (${code}): no authority in the file of --cacert issued it for this host. ` +
      'Name the file of its authority, or check the host of the URL.'
    );
  }
  return (
    `The certificate of ${url.host} is not trusted (${code}). Set NODE_EXTRA_CA_CERTS to the file of its authority, ` +
    'name the file with countersign request --cacert, or check the host of the URL.'
  );
}
