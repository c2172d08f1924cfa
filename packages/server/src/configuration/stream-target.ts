import { SecretUrl } from './secret-url.ts';

/** What streams can send: the audit log, and the request log. */
export const streamSources = ['audit', 'requests'] as const;
export type StreamSource = (typeof streamSources)[number];

/** How records are written. */
export const streamFormats = ['countersign', 'ecs'] as const;
export type StreamFormat = (typeof streamFormats)[number];

/** Where a stream begins when it is first started. */
export type StreamStart =
  | { readonly kind: 'now' }
  | { readonly kind: 'oldest' }
  | { readonly kind: 'time'; readonly atMs: number }
  /** The first position of the audit log to send. */
  | { readonly kind: 'position'; readonly position: number };

/** A stream of the operator's. */
export interface StreamSettings {
  /** Its cursor has this name: under another one it is another stream. */
  readonly name: string;
  readonly sources: readonly StreamSource[];
  readonly to: StreamTarget;
  readonly from: StreamStart;
  /** How a record is written: as the API shows it, or in the Elastic Common Schema. */
  readonly format: StreamFormat;
  /** PEM file of the only authorities that the receiver's certificate may come from. */
  readonly certificateAuthorityFile: string | undefined;
  /** It stalls when nothing was acknowledged for so long. */
  readonly stallSeconds: number;
  /** The operator's number in the IANA registry of private enterprises, for structured data of syslog. */
  readonly enterpriseNumber: number | undefined;
}

/** A receiver, and how it is spoken to. */
export interface StreamTarget {
  readonly protocol: 'ndjson' | 'otlp' | 'syslog';
  /** `https:` for TLS, else `http:`, whatever is spoken over the connection. */
  readonly url: URL;
  /** As it was written; without its query in logs. */
  readonly written: SecretUrl;
  toJSON(): string;
}

const schemes: Readonly<Record<string, Pick<StreamTarget, 'protocol'> & { readonly isSecure: boolean }>> = {
  'https:': { protocol: 'ndjson', isSecure: true },
  'http:': { protocol: 'ndjson', isSecure: false },
  'otlp+https:': { protocol: 'otlp', isSecure: true },
  'otlp+http:': { protocol: 'otlp', isSecure: false },
  'syslog+tls:': { protocol: 'syslog', isSecure: true },
  'syslog+tcp:': { protocol: 'syslog', isSecure: false },
};

/** Reads the URL of a receiver. Returns a sentence if it can't be one; it contains nothing of the URL. */
export function readStreamTarget(text: string): StreamTarget | string {
  const example = 'https://siem.example.com/ingest, otlp+https://… or syslog+tls://logs.example.com:6514';
  if (!/^[\x21-\x7e]{1,1024}$/.test(text) || !URL.canParse(text)) return `must be a URL like ${example}`;
  const scheme = Object.hasOwn(schemes, new URL(text).protocol) ? schemes[new URL(text).protocol] : undefined;
  if (scheme === undefined) return `must be a URL like ${example}`;
  const { protocol, isSecure } = scheme;
  const rest = text.slice(text.indexOf(':'));
  const common = `${isSecure ? 'https' : 'http'}${rest}`;
  if (!URL.canParse(common)) return `must be a URL like ${example}`;
  const url = new URL(common);
  if (url.username !== '' || url.password !== '')
    return 'must not contain a user or password; use COUNTERSIGN_STREAM_SECRETS';
  if (text.includes('#')) return 'must not have a fragment';
  if (protocol === 'syslog' && url.pathname + url.search !== '/')
    return 'of syslog must be a scheme, host and port only';
  if (!isSecure && !isLoopback(url.hostname))
    return 'without TLS is for this machine only: 127.0.0.1, [::1] or localhost';
  if (protocol === 'syslog' && url.port === '' && !/:\d+$/.test(rest)) url.port = isSecure ? '6514' : '601';
  const written = new SecretUrl(text);
  return { protocol, url, written, toJSON: () => written.toJSON() };
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
