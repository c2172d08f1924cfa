import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { CommandError, usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import type { Io } from '../terminal/io.ts';

/** Options of a command for one connection, modelled on curl's. */
export const connectionOptions = {
  resolve: {
    type: 'string',
    multiple: true,
    placeholder: 'HOST:PORT:ADDRESS',
    help:
      'Connect to this IP address instead of looking the host up, for example to one node behind a load balancer. ' +
      'The URL, Host and the name in the certificate stay the same.',
  },
  cacert: {
    type: 'string',
    placeholder: 'FILE',
    help: 'Trust only the certificate authorities in this PEM file, for this request. The certificate is verified as always.',
  },
} as const;

/** The address to connect to and the authorities to trust, instead of the URL's and Node's. */
export interface ChosenConnection {
  /** An IP address. */
  readonly address?: string;
  /** Certificates in PEM. */
  readonly authorities?: readonly string[];
}

/** Reads the options. Throws a CommandError if one has no effect on this URL, because that is a mistake. */
export async function chooseConnection(
  values: { readonly resolve: readonly string[]; readonly cacert: string | undefined },
  url: string,
  io: Io,
): Promise<ChosenConnection> {
  const address = addressFor(new URL(url), values.resolve.map(readResolution));
  if (values.cacert === undefined) return { ...(address !== undefined && { address }) };
  if (!url.startsWith('https:'))
    throw usageError('--cacert is for URLs that begin with https://: this connection has no certificate.');
  const authorities = await readAuthorities(values.cacert, io);
  return { authorities, ...(address !== undefined && { address }) };
}

interface Resolution {
  readonly text: string;
  /** In the form of parsed URLs: in lower case and ASCII; an IPv6 address in brackets. */
  readonly host: string;
  readonly port: string;
  readonly address: string;
}

function readResolution(text: string): Resolution {
  // Without the characters that would end the host, or be decoded, in a URL.
  const [, name = '', port = '', bracketed, plain] =
    /^(\[[^\]]*\]|[^:[\]/?#\\%@]+):(\d{1,5}):(?:\[([^\]]*)\]|(.*))$/.exec(text) ?? [];
  const host = domainToASCII(name);
  const address = bracketed ?? plain ?? '';
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw usageError(
      `--resolve ${text} does not have the form HOST:PORT:ADDRESS, such as api.example.com:443:203.0.113.7.`,
    );
  if (isIP(address) === 0)
    throw usageError(
      `--resolve ${text}: "${address}" is not an IP address. Write one, such as 203.0.113.7 or 2001:db8::7.`,
    );
  return { text, host, port: String(Number(port)), address };
}

function addressFor(url: URL, resolutions: readonly Resolution[]): string | undefined {
  if (resolutions.length === 0) return undefined;
  const host = url.hostname;
  if (isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0)
    throw usageError(
      `--resolve is for host names, but the URL has the address ${host}. Leave --resolve out.`,
    );
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const other = resolutions.find((each) => each.host !== host || each.port !== port);
  if (other !== undefined)
    throw usageError(`--resolve ${other.text} has no effect: this request goes to ${host}:${port}.`);
  const addresses = new Set(resolutions.map(({ address }) => address));
  if (addresses.size > 1)
    throw usageError(`--resolve names several addresses for ${host}:${port}. Name one.`);
  return resolutions[0]?.address;
}

async function readAuthorities(file: string, io: Io): Promise<string[]> {
  const text = await readTextFile(io, file, 'certificate file', certificateBytesMax);
  const begun = text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/g)?.length ?? 0;
  const blocks =
    text.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END [A-Z0-9 ]+-----/g) ?? [];
  if (begun === 0) {
    throw new CommandError(
      'local',
      'file',
      `The certificate file ${file} has no certificate in PEM form. To convert one: openssl x509 -inform DER -in ${file} -out authority.pem`,
    );
  }
  // A block without an end is not among them.
  if (blocks.length < begun) {
    throw new CommandError(
      'local',
      'file',
      `A certificate in ${file} is damaged: it has no end. Copy the whole file again.`,
    );
  }
  for (const [index, block] of blocks.entries()) {
    if (isCertificate(block)) continue;
    const place = blocks.length === 1 ? 'The certificate' : `Certificate ${index + 1}`;
    throw new CommandError('local', 'file', `${place} in ${file} is damaged. Copy the whole file again.`);
  }
  return blocks;
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).subject !== undefined;
  } catch {
    return false;
  }
}

/** Operating systems keep their authorities in files of a quarter of a megabyte. */
const certificateBytesMax = 4 * 1024 * 1024;
