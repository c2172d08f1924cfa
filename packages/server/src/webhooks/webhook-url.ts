import { DirectoryFault, type DirectoryProblemCode } from '../directories/directory-problem.ts';
import { checkDirectoryUrl, type DirectoryUrl, type TrustedOrigins } from '../directories/directory-url.ts';

/** A reason why nothing can be sent to a URL. */
export interface WebhookUrlProblem {
  readonly ok: false;
  /** For the owner. Contains nothing that a server or a resolver sent. */
  readonly message: string;
}

/**
 * Checks the URL of a webhook, by the rules for directories of keys: https, port 443, a public host name, in its normal
 * form; anything of HTTP at an origin that the operator trusts.
 *
 * Not checked: where the name leads. That is checked each time something is sent.
 */
export function checkWebhookUrl(
  text: string,
  trustedOrigins: TrustedOrigins,
): DirectoryUrl | WebhookUrlProblem {
  const checked = checkDirectoryUrl(text, trustedOrigins);
  return checked.ok ? checked : { ok: false, message: webhookSentence(checked.code) };
}

/** Returns a sentence about a failure to reach a webhook; undefined if the error is something else. */
export function problemOfConnection(error: unknown): string | undefined {
  return error instanceof DirectoryFault ? webhookSentence(error.problem.code) : undefined;
}

/** The same for a name that does not exist as for an internal one: nobody should explore our network with webhooks. */
const noPublicAddress = 'The host name does not resolve to public addresses alone.';

const sentences: Readonly<Partial<Record<DirectoryProblemCode, string>>> = {
  url_malformed: 'This is not a URL. Write it like https://hooks.example.com/countersign.',
  url_too_long: 'The URL is longer than 1,024 characters.',
  url_not_canonical:
    'The URL is not written in its normal form. Use lower case for the host, Punycode instead of Unicode, and no default port, "..", tab or backslash.',
  url_not_https: 'The URL must begin with https://.',
  url_has_credentials: 'The URL contains a user name or a password. Remove them.',
  url_has_fragment: 'The URL contains a fragment, the part after "#". Remove it.',
  url_port_not_allowed: 'The URL names a port. Webhooks are only sent to port 443.',
  url_host_is_address: 'The URL contains an IP address. Use a host name.',
  url_host_not_public: 'The host is not a public name, such as hooks.example.com.',
  name_unresolved: noPublicAddress,
  address_not_public: noPublicAddress,
  connection_failed: 'The server cannot be reached.',
  tls_failed: 'The TLS handshake failed, or the certificate is not valid for the host name.',
};

function webhookSentence(code: DirectoryProblemCode): string {
  return sentences[code] ?? 'The URL cannot be used.';
}
