import type { WebhookFailure } from '@countersign/contract';
import { type DirectoryProblemCode, directorySentences } from '../directories/directory-problem.ts';

/** The reason why an attempt failed, as it is stored. A status that is no success is `status_not_ok`. */
export type DeliveryProblem = DirectoryProblemCode | 'secret_unreadable';

/** What is known of a stored reason. */
export interface ShownProblem {
  readonly failure: WebhookFailure | undefined;
  /** For the owner. Contains nothing that a server or a resolver sent, except the status. */
  readonly sentence: string;
}

/** Describes a stored reason. Attempts of earlier versions have a sentence instead. */
export function showProblem(stored: string, status: number | null): ShownProblem {
  if (!isDeliveryProblem(stored)) return { failure: undefined, sentence: stored };
  if (stored === 'status_not_ok')
    return { failure: failureOfStatus(status), sentence: sentenceOfStatus(status) };
  return { failure: failures[stored], sentence: sentenceOf(stored) };
}

/** Returns the sentence about a reason. */
export function sentenceOf(problem: DeliveryProblem): string {
  return sentences[problem];
}

function isDeliveryProblem(stored: string): stored is DeliveryProblem {
  return Object.hasOwn(sentences, stored);
}

function failureOfStatus(status: number | null): WebhookFailure {
  if (status === null) return 'status_unexpected';
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 410) return 'gone';
  if (status === 429) return 'rate_limited';
  if (status >= 400 && status < 500) return 'client_error';
  return status >= 500 && status < 600 ? 'server_error' : 'status_unexpected';
}

function sentenceOfStatus(status: number | null): string {
  if (failureOfStatus(status) === 'redirected')
    return `The receiver redirects, with status ${status}. Redirects are not followed: use the final URL.`;
  return `The receiver answered with status ${status}.`;
}

/** Those that are about directories have other words here. */
const sentences: Readonly<Record<DeliveryProblem, string>> = {
  ...directorySentences,
  url_malformed: 'This is not a URL. Write it like https://hooks.example.com/countersign.',
  url_port_not_allowed: 'The URL names a port. Webhooks are only sent to port 443.',
  url_host_not_public: 'The host is not a public name, such as hooks.example.com.',
  connection_failed: 'The server cannot be reached.',
  timed_out: 'The receiver did not answer within 15 seconds.',
  response_malformed: 'The connection ended, or the answer is not valid HTTP.',
  secret_unreadable:
    "The webhook's secret or a custom header was encrypted with another COUNTERSIGN_WEBHOOK_SECRET. Nothing was sent.",
};

/** A host without an address and one with a private address look the same: nobody should explore our network. */
const failures: Readonly<Partial<Record<DeliveryProblem, WebhookFailure>>> = {
  url_malformed: 'url_not_allowed',
  url_too_long: 'url_not_allowed',
  url_not_canonical: 'url_not_allowed',
  url_not_https: 'url_not_allowed',
  url_has_credentials: 'url_not_allowed',
  url_has_fragment: 'url_not_allowed',
  url_port_not_allowed: 'url_not_allowed',
  url_host_is_address: 'url_not_allowed',
  url_host_not_public: 'url_not_allowed',
  secret_unreadable: 'secret_unreadable',
  name_unresolved: 'address_not_public',
  address_not_public: 'address_not_public',
  connection_failed: 'connection_failed',
  tls_failed: 'tls_failed',
  timed_out: 'timed_out',
  response_malformed: 'answer_malformed',
};
