import {
  DirectoryFault,
  type DirectoryProblemCode,
  directorySentences,
} from '../directories/directory-problem.ts';
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
  return checked.ok ? checked : { ok: false, message: sentences[checked.code] };
}

/** Returns a sentence about a failure to reach a webhook; undefined if the error is something else. */
export function problemOfConnection(error: unknown): string | undefined {
  return error instanceof DirectoryFault ? sentences[error.problem.code] : undefined;
}

/** Those that are about directories have other words here. */
const sentences: Readonly<Record<DirectoryProblemCode, string>> = {
  ...directorySentences,
  url_malformed: 'This is not a URL. Write it like https://hooks.example.com/countersign.',
  url_port_not_allowed: 'The URL names a port. Webhooks are only sent to port 443.',
  url_host_not_public: 'The host is not a public name, such as hooks.example.com.',
  connection_failed: 'The server cannot be reached.',
};
