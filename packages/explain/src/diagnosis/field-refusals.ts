import { componentListFor, formatHttpDate, type Refusal, signatureAlgorithm } from '@countersign/signature';
import { checkRequest } from '../checks.ts';
import type { ExplainOptions, RequestToExplain } from '../explanation.ts';

type HeaderLine = readonly [name: string, value: string];

/**
 * Returns why the checks reject each signature field on its own, assuming that the other fields are right.
 * The verifier stops at the first check that fails, but its caller must fix every field.
 */
export function fieldRefusals(request: RequestToExplain, options: ExplainOptions): readonly Refusal[] {
  const right = rightHeaders(request, options);
  return right.flatMap(([field]): readonly Refusal[] => {
    const received = request.headers.filter(([name]) => name.toLowerCase() === field);
    // A field that is missing, or sent under another name, has its own finding.
    if (received.length === 0) return [];
    const headers = [...right.filter(([name]) => name !== field), ...received];
    const { refusal } = checkRequest({ ...request, headers }, () => [], options);
    return refusal && ownCodes[field]?.has(refusal.code) === true ? [refusal] : [];
  });
}

/** The rejections that concern only the field itself. */
const ownCodes: Readonly<Record<string, ReadonlySet<Refusal['code']>>> = {
  'signature-input': new Set(['signature_missing', 'signature_malformed', 'parameters_invalid']),
  signature: new Set(['signature_missing', 'signature_malformed']),
  date: new Set(['date_invalid']),
  'content-digest': new Set(['digest_malformed']),
};

function rightHeaders({ body }: RequestToExplain, options: ExplainOptions): readonly HeaderLine[] {
  const hasBody = body !== undefined && body.length > 0;
  const { text } = componentListFor(hasBody, true);
  const created = options.nowSeconds;
  return [
    ['signature-input', `sig=${text};created=${created};keyid="any";alg="${signatureAlgorithm}"`],
    ['signature', `sig=:${'A'.repeat(344)}:`],
    ['date', formatHttpDate(created)],
    ...(hasBody ? [['content-digest', `sha-256=:${'A'.repeat(43)}=:`] as const] : []),
  ];
}
