import { DirectoryFault, type DirectoryProblemCode } from '../directories/directory-problem.ts';
import { checkDirectoryUrl, type DirectoryUrl, type TrustedOrigins } from '../directories/directory-url.ts';
import { sentenceOf } from './delivery-problem.ts';

/** A reason why nothing can be sent to a URL. */
export interface WebhookUrlProblem {
  readonly ok: false;
  readonly code: DirectoryProblemCode;
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
  if (checked.ok) return checked;
  const { code } = checked;
  const message = notOnInternet.has(code) ? `${sentenceOf(code)} ${adviceFor(text)}` : sentenceOf(code);
  return { ok: false, code, message };
}

/** Problems of URLs in one's own network, where receivers are tried first. */
const notOnInternet: ReadonlySet<DirectoryProblemCode> = new Set([
  'url_not_https',
  'url_port_not_allowed',
  'url_host_is_address',
  'url_host_not_public',
]);

function adviceFor(text: string): string {
  const { origin } = new URL(text);
  const named = origin === 'null' ? 'its origin' : origin;
  return `The operator can allow ${named} with COUNTERSIGN_WEBHOOK_ORIGINS. For a program on your own machine, use "countersign listen".`;
}

/** Returns the reason for a failure to reach a webhook; undefined if the error is something else. */
export function problemOfConnection(error: unknown): DirectoryProblemCode | undefined {
  return error instanceof DirectoryFault ? error.problem.code : undefined;
}
