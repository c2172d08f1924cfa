import { isLikePermission, wrongPlace } from './openapi-fields.ts';
import { type Findings, isRecord } from './openapi-finding.ts';
import { methodFields } from './openapi-path-item.ts';
import { problemOfPermission } from './openapi-permissions.ts';

/** The meaning of an object's keys: fields of OpenAPI, free names, or a path, a path item or operations. */
type Kind = 'object' | 'names' | 'path items' | 'path item' | 'operations' | 'operation';

/** An object or a list in a document, and the path to it. */
interface Part {
  readonly value: object;
  readonly kind: Kind;
  readonly name: string;
  readonly parent: Part | undefined;
}

/**
 * Reports permissions below operations and outside the paths: an author who writes one under `responses`
 * believes that it has an effect. Data, such as examples, may hold anything, and extensions outside the paths
 * may hold parts for merge keys.
 *
 * @param isSettled returns true if the operator decides about a path or an operation: `GET /invoices`
 */
export function reportMisplaced(
  document: Record<string, unknown>,
  isSettled: (key: string) => boolean,
  findings: Findings,
): void {
  // The same object can occur in many places: YAML has aliases.
  const seen = new Map<Kind, Set<object>>();
  const isLike = remembering(isLikePermission);
  const open: Part[] = [{ value: document, kind: 'object', name: '', parent: undefined }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const known = seen.get(part.kind) ?? new Set();
    if (known.has(part.value) || isSettled(keyOf(part))) continue;
    seen.set(part.kind, known.add(part.value));
    for (const [name, value] of Object.entries(part.value) as [string, unknown][]) {
      if (isLike(name) && isMisplaced(name, value, part))
        findings.mistake([...placeOf(part), name], `${name} ${wrongPlace}`);
      if (typeof value !== 'object' || value === null) continue;
      const kind = kindOf(name, value, part, isLike);
      if (kind !== undefined) open.push({ value, kind, name, parent: part });
    }
  }
}

/** Documents have few different names. */
function remembering(test: (name: string) => boolean): (name: string) => boolean {
  const results = new Map<string, boolean>();
  return (name) => {
    const result = results.get(name) ?? test(name);
    results.set(name, result);
    return result;
  };
}

/** Returns the name of the operator's entry for a part. */
function keyOf({ kind, name, parent }: Part): string {
  if (kind !== 'operation') return kind === 'path item' ? name : '';
  const path = parent!.kind === 'operations' ? parent!.parent! : parent!;
  return parent!.kind === 'operations' ? `${name} ${path.name}` : `${name.toUpperCase()} ${path.name}`;
}

/** Returns undefined for parts that are not searched. */
function kindOf(
  name: string,
  value: object,
  { kind }: Part,
  isLike: (name: string) => boolean,
): Kind | undefined {
  if (kind === 'path items') return 'path item';
  if (kind === 'operations') return 'operation';
  if (kind === 'names') return 'object';
  if (kind === 'path item' && methodFields.has(name)) return 'operation';
  if (name === 'additionalOperations') return 'operations';
  if (name === 'paths' || name === 'pathItems' || name === 'x-ms-paths') return 'path items';
  if (data.has(name)) return undefined;
  const isOfPath = kind === 'path item' || kind === 'operation';
  if (name.startsWith('x-') && !isOfPath && !isLike(name)) return undefined;
  return names.has(name) && isRecord(value) ? 'names' : 'object';
}

/** Returns true if a field that resembles a permission is in a place where it is not read. */
function isMisplaced(name: string, value: unknown, { kind, parent }: Part): boolean {
  // The readers of the document, paths and operations check those.
  if (parent === undefined || (kind !== 'object' && kind !== 'names')) return false;
  const isText = typeof value === 'string' || Array.isArray(value);
  if (/^[^a-z]*x/i.test(name)) return kind === 'object' || isText;
  return problemOfPermission(value) === undefined;
}

function placeOf(part: Part): readonly string[] {
  const at: string[] = [];
  for (let one: Part | undefined = part; one?.parent; one = one.parent) at.unshift(one.name);
  return at;
}

/** Fields that hold data. */
const data: ReadonlySet<string> = new Set('example examples default enum const scopes mapping'.split(' '));

/** Fields whose members have free names. */
const names: ReadonlySet<string> = new Set(
  'callbacks content definitions $defs dependentSchemas encoding headers links mediaTypes parameters patternProperties properties requestBodies responses schemas securityDefinitions securitySchemes variables webhooks'.split(
    ' ',
  ),
);
