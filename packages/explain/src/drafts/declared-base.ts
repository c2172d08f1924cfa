import { componentListFor, encodeBase64, formatHttpDate } from '@countersign/signature';
import type { ExplainOptions, RequestToExplain } from '../explanation.ts';
import { type MeantSignatureInput, signedInput } from '../reading/lenient-signature-input.ts';
import type { MeantRequest } from '../reading/meant-request.ts';
import { splitUrl } from '../reading/url-parts.ts';
import { type BaseDraft, type BaseStructure, usualForm, usualUrl } from './base-draft.ts';

/**
 * Returns the text that the caller signed if it signed what it declares. Guesses what is not declared: the
 * parameters come from Date and from `clientId`, the client whose key signed.
 */
export function declaredDraft(
  request: RequestToExplain,
  meant: MeantRequest,
  options: ExplainOptions,
  clientId?: string,
): BaseDraft {
  const { received, input } = meant;
  const created = meant.created?.seconds;
  const { fields } = received;
  const values = [fields.date.value, fields['content-digest'].value, input?.signatureParams];
  const hasOctets = values.some((value) => value !== undefined && /[\x80-\xff]/.test(value));
  return {
    method: request.method,
    ...splitUrl(request.targetUri),
    targetUri: usualUrl,
    contentDigest: received.fields['content-digest'].value ?? digestLine(request, meant, options),
    date: received.fields.date.value ?? formatHttpDate(created ?? options.nowSeconds),
    oldDigest: meant.others.get('digest') ?? '',
    signatureParams:
      completedParams(meant, clientId) ??
      (input && signedInput(input).signatureParams) ??
      guessedParams(meant, clientId),
    structure: meant.structure ?? declaredStructure(meant),
    ...usualForm,
    ...(input && meant.structure === undefined && writesParameters(input)),
    charset: hasOctets ? 'latin-1' : 'utf-8',
  };
}

/** A component's parameters are part of its line. */
function writesParameters({
  components,
  componentParameters,
}: MeantSignatureInput): Pick<BaseDraft, 'writeName'> | undefined {
  if (componentParameters.every((parameters) => parameters === '')) return undefined;
  const byName = new Map(
    components.map((name, index) => [name.toLowerCase(), componentParameters[index] ?? '']),
  );
  return { writeName: (name) => `"${name}"${byName.get(name) ?? ''}` };
}

function guessedParams(
  { keyid, algorithm, created, date, hasBody }: MeantRequest,
  clientId: string | undefined,
): string {
  const seconds = created?.seconds ?? date?.seconds;
  const id = keyid ?? clientId;
  if (seconds === undefined || id === undefined) return '';
  return `${componentListFor(hasBody ?? false, true).text};created=${seconds};keyid="${id}";alg="${algorithm}"`;
}

/** Completes a truncated `Signature-Input`. Undefined if it is whole, or not the start of the usual text. */
function completedParams(
  { input, algorithm, created, date }: MeantRequest,
  clientId: string | undefined,
): string | undefined {
  if (!input?.isCut) return undefined;
  const seconds = created?.seconds ?? date?.seconds;
  const [list] = /^\([^)]*\)/.exec(input.signatureParams) ?? [];
  const whole = `${list};created=${seconds};keyid="${clientId}";alg="${algorithm}"`;
  return whole.startsWith(input.signatureParams) ? whole : undefined;
}

function declaredStructure({ input, cavage, hasBody }: MeantRequest): BaseStructure {
  if (input && input.components.length > 0) {
    const lines = [...input.components.map((name) => name.toLowerCase()), '@signature-params'];
    return { lines, isCavage: false };
  }
  if (cavage) return { lines: cavage.lines, isCavage: true };
  return profileStructure(hasBody ?? false);
}

export function profileStructure(hasBody: boolean): BaseStructure {
  return { lines: [...componentListFor(hasBody, true).identifiers, '@signature-params'], isCavage: false };
}

function digestLine(request: RequestToExplain, meant: MeantRequest, { sha256 }: ExplainOptions): string {
  if (request.body && request.body.length > 0) return `sha-256=:${encodeBase64(sha256(request.body))}:`;
  return meant.received.fields['content-digest'].value ?? '';
}
