import { isLikePermission, wrongPlace } from './openapi-fields.ts';
import { type Findings, isRecord } from './openapi-finding.ts';
import { methodFields } from './openapi-path-item.ts';
import { problemOfPermission } from './openapi-permissions.ts';

/** What the keys of an object are: fields of OpenAPI, free names, or a path, a path item or operations. */
type Kind = 'object' | 'names' | 'path items' | 'path item' | 'operations' | 'operation';

/** An object or a list in a document, and the way to it. */
interface Part {
  readonly value: object;
  readonly kind: Kind;
  readonly name: string;
  readonly parent: Part | undefined;
}

/**
 * Reports permissions below operations and beside the paths: whoever writes one under `responses` believes that it
 * counts. Data, such as examples, may hold anything, and extensions beside the paths may hold parts for merge keys.
 *
 * @param isSettled whether the operator decides about a path or an operation: `GET /invoices`
 */
export function reportMisplaced(
  document: Record<string, unknown>,
  isSettled: (key: string) => boolean,
  findings: Findings,
): void {
  // The same object can be at many places: YAML has aliases.
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

/** Returns what the operator's entry for a part is called. */
function keyOf({ kind, name, parent }: Part): string {
  if (kind !== 'operation') return kind === 'path item' ? name : '';
  const path = parent!.kind === 'operations' ? parent!.parent! : parent!;
  return parent!.kind === 'operations' ? `${name} ${path.name}` : `${name.toUpperCase()} ${path.name}`;
}

/** Returns undefined for what is not looked into. */
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

/** Whether a field that is like a permission is where nobody reads it. */
function isMisplaced(name: string, value: unknown, { kind, parent }: Part): boolean {
  // The document, paths and operations are looked at by who reads them.
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
