import { isLikePermission, wrongPlace } from './openapi-fields.ts';
import { type Findings, isRecord } from './openapi-finding.ts';
import { methodFields } from './openapi-path-item.ts';
import { problemOfPermission } from './openapi-permissions.ts';

/** What the keys of an object are: fields of OpenAPI, free names, or a path, a path item or operations. */
type Kind = 'object' | 'names' | 'path items' | 'path item' | 'operations' | 'operation';

/** A part of a document, and the way to it. */
interface Part {
  readonly value: unknown;
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
  const seen = new Map<Kind, Set<unknown>>();
  const open: Part[] = partsOf({ value: document, kind: 'object', name: '', parent: undefined });
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const known = seen.get(part.kind) ?? new Set();
    if (known.has(part.value)) continue;
    seen.set(part.kind, known.add(part.value));
    if (isSettled(keyOf(part))) continue;
    for (const below of partsOf(part)) {
      if (isMisplaced(below)) findings.mistake(placeOf(below), `${below.name} ${wrongPlace}`);
      open.push(below);
    }
  }
}

/** Returns what the operator's entry for a part is called. */
function keyOf({ kind, name, parent }: Part): string {
  if (kind !== 'operation') return kind === 'path item' ? name : '';
  const path = parent!.kind === 'operations' ? parent!.parent! : parent!;
  return parent!.kind === 'operations' ? `${name} ${path.name}` : `${name.toUpperCase()} ${path.name}`;
}

function partsOf(parent: Part): Part[] {
  const { value } = parent;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) => {
    const kind = kindOf(name, inner, parent);
    return kind === undefined ? [] : { value: inner, kind, name, parent };
  });
}

/** Returns undefined for what is not looked into. */
function kindOf(name: string, value: unknown, { kind }: Part): Kind | undefined {
  if (kind === 'path items') return 'path item';
  if (kind === 'operations') return 'operation';
  if (kind === 'names') return 'object';
  if (kind === 'path item' && methodFields.has(name)) return 'operation';
  if (name === 'additionalOperations') return 'operations';
  if (name === 'paths' || name === 'pathItems' || name === 'x-ms-paths') return 'path items';
  if (data.has(name)) return undefined;
  const isOfPath = kind === 'path item' || kind === 'operation';
  if (name.startsWith('x-') && !isOfPath && !isLikePermission(name)) return undefined;
  return names.has(name) && isRecord(value) ? 'names' : 'object';
}

function isMisplaced({ name, value, parent }: Part): boolean {
  // Paths and operations are looked at by who reads them.
  if (parent!.kind !== 'object' && parent!.kind !== 'names') return false;
  if (!isLikePermission(name)) return false;
  const isText = typeof value === 'string' || Array.isArray(value);
  if (/^[^a-z]*x/i.test(name)) return parent!.kind === 'object' || isText;
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
