import { isSignatureProblem, type ProblemCode, problems } from '@countersign/contract/problems';
import { defaultProfile } from '@countersign/signature/profile';

/** Members that a response adds to the texts of its code. Undefined ones are omitted. */
export type ProblemMembers = Readonly<Record<string, unknown>>;

/** Writes a problem document (RFC 9457) as text; `typeBase` is the URL of the page that explains the codes. */
export function problemBody(typeBase: string, code: ProblemCode, members: ProblemMembers): string {
  const { status, title, detail } = problems[code];
  return JSON.stringify({ type: `${typeBase}#${code}`, title, status, detail, code, ...members });
}

/** What `Accept-Signature` says about a request. */
export interface RequestToSignAgain {
  /** Undefined while that is unknown. */
  readonly hasBody: boolean | undefined;
  /** The algorithm that its signature names; undefined if it names none. */
  readonly alg?: string | undefined;
  /** The signature that the client should have sent, if its profile is not the closed one. */
  readonly wanted?: string | undefined;
}

/** Returns the header fields that are specific to responses with this code. */
export function problemHeaders(
  code: ProblemCode,
  { hasBody = true, alg, wanted }: RequestToSignAgain,
  retryAfterSeconds: number | undefined,
): Record<string, string> {
  const { status } = problems[code];
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' };
  if (status === 401 && !isSignatureProblem(code)) {
    // People sign in at the portal; RFC 9110 section 11.6.1 requires a challenge with each 401.
    headers['WWW-Authenticate'] = `Session error="${code}"`;
  } else if (status === 401) {
    // RFC 9110 section 11.6.1 requires a challenge; RFC 9421 section 5.1 lets it say what to sign.
    headers['WWW-Authenticate'] = `Signature error="${code}"`;
    headers['Accept-Signature'] = wanted ?? defaultProfile.acceptSignature(hasBody, alg);
  }
  if (status === 503 || status === 429) headers['Retry-After'] = String(Math.ceil(retryAfterSeconds ?? 1));
  return headers;
}

/** Returns true if the code is about clocks, so that the response includes the service's time. */
export function isAboutTime(code: ProblemCode): boolean {
  return code.startsWith('created_') || code.startsWith('date_') || code === 'signature_expired';
}
