/** The reason why a directory cannot be used, or why it was not fetched. */
export type DirectoryProblemCode =
  | 'url_malformed'
  | 'url_too_long'
  | 'url_not_canonical'
  | 'url_not_https'
  | 'url_has_credentials'
  | 'url_has_fragment'
  | 'url_port_not_allowed'
  | 'url_host_is_address'
  | 'url_host_not_public'
  | 'form_unsupported'
  | 'name_unresolved'
  | 'address_not_public'
  | 'connection_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'response_malformed'
  | 'redirected'
  | 'status_not_ok'
  | 'encoding_not_allowed'
  | 'content_type_not_allowed'
  | 'document_too_large'
  | 'document_cut_off'
  | 'json_invalid'
  | 'document_invalid'
  | 'keys_too_many'
  | 'actor_mismatch'
  | 'outage_too_long'
  | 'closing';

/** A problem with a directory. */
export interface DirectoryProblem {
  readonly ok: false;
  readonly code: DirectoryProblemCode;
  /**
   * Says what is wrong, in one or two sentences for the people who own the directory. Contains nothing that a server or a
   * resolver sent, except the status code.
   */
  readonly message: string;
}

/** Thrown while a directory is fetched, and returned as a problem from there. */
export class DirectoryFault extends Error {
  readonly problem: DirectoryProblem;

  constructor(code: DirectoryProblemCode, message?: string) {
    const problem = directoryProblem(code, message);
    super(problem.message);
    this.problem = problem;
  }
}

/** Creates a problem, with its usual sentence unless another one is given. */
export function directoryProblem(
  code: DirectoryProblemCode,
  message: string = directorySentences[code],
): DirectoryProblem {
  return { ok: false, code, message };
}

/** The same for a name that does not exist as for an internal one: nobody should explore our network with directories. */
const noPublicAddress = 'The host name does not resolve to public addresses alone.';

/** The usual sentence of each problem. */
export const directorySentences: Readonly<Record<DirectoryProblemCode, string>> = {
  url_malformed: 'This is not a URL. Write it like https://agent.example/keys.json.',
  url_too_long: 'The URL is longer than 1,024 characters.',
  url_not_canonical:
    'The URL is not written in its normal form. Use lower case for the host, Punycode instead of Unicode, and no default port, "..", tab or backslash.',
  url_not_https: 'The URL must begin with https://.',
  url_has_credentials: 'The URL contains a user name or a password. Remove them.',
  url_has_fragment: 'The URL contains a fragment, the part after "#". Remove it.',
  url_port_not_allowed: 'The URL names a port. Directories are only read from port 443.',
  url_host_is_address: 'The URL contains an IP address. Use a host name.',
  url_host_not_public: 'The host is not a public name, such as agent.example.',
  form_unsupported:
    'Signature-Agent has a type that is not supported. Supported are a URL, an origin, and type=jwks_uri.',
  name_unresolved: noPublicAddress,
  address_not_public: noPublicAddress,
  connection_failed: "The directory's server cannot be reached.",
  tls_failed:
    'The TLS handshake failed, or the certificate has expired, is for another host name, or comes from an authority that is not trusted.',
  timed_out: "The directory's server did not answer in time.",
  response_malformed: 'The answer is not valid HTTP.',
  redirected: 'The server redirects to another URL. Redirects are not followed: use the final URL.',
  status_not_ok: 'The server did not answer with status 200.',
  encoding_not_allowed: 'The answer is compressed or encoded. Serve the directory as it is.',
  content_type_not_allowed: 'The answer has no Content-Type, several, or one that is not for directories.',
  document_too_large: 'The answer is larger than 64 KiB.',
  document_cut_off: 'The connection ended before the answer did.',
  json_invalid: 'The document is not strict JSON.',
  document_invalid: 'The document is not a JWK Set or an actor with keys.',
  keys_too_many: 'The directory has more than 100 keys.',
  actor_mismatch: "The actor's id is not the URL that it was fetched from.",
  outage_too_long:
    'The directory has been unreadable for so long that its keys are no longer trusted. They are valid again once it can be read.',
  closing: 'The service is stopping.',
};
