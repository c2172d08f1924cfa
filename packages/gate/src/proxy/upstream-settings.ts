/** An API behind the gateway: its addresses and its limits. */
export interface UpstreamSettings {
  readonly name: string;
  /** Origins, such as `http://10.0.0.5:3000`, all of the same service. */
  readonly addresses: readonly string[];
  /** Open connections to each address. */
  readonly connectionsMax: number;
  /** Requests that may wait for a connection, for all addresses together. */
  readonly waitingMax: number;
  readonly connectSeconds: number;
  readonly firstByteSeconds: number;
  readonly idleSeconds: number;
  /**
   * The maximum time that an idle connection is kept; 0 opens one for each request. Undefined for 4 seconds,
   * or what the upstream announces in `Keep-Alive`.
   */
  readonly keepAliveSeconds: number | undefined;
  /** The `Host` that the upstream sees: the client's, or that of the upstream's address. */
  readonly host: 'received' | 'upstream';
  /** Signs each forwarded request whose client is authenticated. */
  readonly sign: boolean;
  /** Uses HTTP/2 if the upstream offers it (TLS with ALPN). */
  readonly http2: boolean;
  /** Undefined for TLS defaults. */
  readonly tls: UpstreamTls | undefined;
}

/** The gateway's own certificate for an upstream, and the certificates that it accepts. All texts are PEM. */
export interface UpstreamTls {
  readonly certificateAuthority: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** The name that the upstream's certificate must have; undefined for the host of the address. */
  readonly serverName: string | undefined;
}

/** The defaults. */
export const upstreamDefaults: Omit<UpstreamSettings, 'name' | 'addresses'> = {
  connectionsMax: 128,
  waitingMax: 1024,
  connectSeconds: 3,
  firstByteSeconds: 30,
  idleSeconds: 30,
  keepAliveSeconds: undefined,
  host: 'received',
  sign: false,
  http2: false,
  tls: undefined,
};

/** Returns what is wrong with an upstream's address; undefined if nothing is. */
export function problemOfUpstreamAddress(text: string): string | undefined {
  const advice = 'must be scheme, host and port, like http://127.0.0.1:3000';
  if (text.includes('@')) return `${advice}, without user information`;
  if (!/^https?:\/\/[^/?#\\\s]+\/?$/.test(text) || !URL.canParse(text)) {
    return /^https?:\/\/[^/?#]+[/?#]/.test(text)
      ? `${advice}, without a path: the target is forwarded unchanged`
      : advice;
  }
  const { host, hostname, port, protocol } = new URL(text);
  const written = text.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const usualPort = protocol === 'https:' ? ':443' : ':80';
  // `http://0x7f000001` and `http://127.1` are this machine too, in disguise.
  if (written !== host && written !== `${host}${usualPort}`) return `must be written ${protocol}//${host}`;
  if (port === '0') return advice;
  return hostname === '' ? advice : undefined;
}
