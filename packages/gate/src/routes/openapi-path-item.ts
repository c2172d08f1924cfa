import { isExtension } from './openapi-fields.ts';
import { type Findings, isRecord, type Location } from './openapi-finding.ts';

/** A member of a path item, and the place where it is written, which differs behind a reference. */
export interface ItemMember {
  readonly value: unknown;
  readonly at: Location;
}

/** A place in a document, and its name in findings. */
export interface Described {
  readonly at: Location;
  readonly name: string;
}

/** An operation and its method. */
export interface DescribedOperation {
  /** In the case in which it is sent. */
  readonly method: string;
  readonly operation: Record<string, unknown>;
  readonly at: Location;
}

/** Returns true if a value has operations, as only a path has, or paths. */
export function isLikePathItem(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.entries(value).some(
      ([field, member]) =>
        field === '$ref' ||
        field.startsWith('/') ||
        (methodFields.has(field.toLowerCase()) && isRecord(member)),
    )
  );
}

/** Reads path items: follows references within the document, and finds operations. */
export class PathItemReader {
  readonly #document: Record<string, unknown>;
  readonly #findings: Findings;
  readonly #external: Location[] = [];

  constructor(document: Record<string, unknown>, findings: Findings) {
    this.#document = document;
    this.#findings = findings;
  }

  /**
   * Returns the members of a path item and of its reference's target; members next to the reference win. Two
   * members with different permissions are a mistake, unless the operator decides.
   *
   * @param settled the fields that the operator decides
   */
  membersOf(
    item: unknown,
    { name, at }: Described,
    settled: ReadonlySet<string>,
  ): ReadonlyMap<string, ItemMember> | undefined {
    const members = new Map<string, ItemMember>();
    let [value, here] = [item, at];
    for (let steps = 0; steps < 10; steps++) {
      if (!isRecord(value)) return this.#findings.mistake(here, `${name}: a path must be an object`);
      for (const [field, member] of Object.entries(value)) {
        if (field === '$ref') continue;
        const before = members.get(field);
        if (before === undefined) members.set(field, { value: member, at: [...here, field] });
        else if (!settled.has(field) && isContradicted(field, before.value, member))
          this.#findings.mistake(
            [...here, field],
            `${name}: "${field}" is both here and beside the $ref that points here`,
          );
      }
      const reference = value['$ref'];
      if (reference === undefined) return members;
      const target = this.#targetOf(reference, name, [...here, '$ref']);
      if (target === undefined) return undefined;
      ({ value, at: here } = target);
    }
    return this.#findings.mistake(at, `${name}: its $ref is circular`);
  }

  /**
   * Returns the operations of a path item.
   *
   * @param isSkipped returns true if only the method of an operation matters
   */
  operationsOf(
    members: ReadonlyMap<string, ItemMember>,
    name: string,
    isSkipped: (method: string) => boolean,
  ): readonly DescribedOperation[] {
    const operations: DescribedOperation[] = [];
    const read = (method: string, value: unknown, at: Location): readonly DescribedOperation[] =>
      isSkipped(method)
        ? [{ method, operation: isRecord(value) ? value : {}, at }]
        : this.#operation(method, value, name, at);
    for (const field of methodFields) {
      const member = members.get(field);
      if (member) operations.push(...read(field.toUpperCase(), member.value, member.at));
    }
    const additional = members.get('additionalOperations');
    if (additional) operations.push(...this.#additional(additional.value, name, additional.at, read));
    for (const [field, { value, at }] of members) {
      if (methodFields.has(field) || otherFields.has(field)) continue;
      if (!isExtension(field))
        this.#findings.mistake(at, `${name}: ${JSON.stringify(field)} ${problemOfField(field)}`);
      else if (isRecord(value) && value['responses'] !== undefined)
        this.#findings.warning(at, `${name}: ${field} gets no routes: it is not a method of OpenAPI`);
    }
    return operations;
  }

  /** Reports references to other files, in one finding: a document that is not bundled has hundreds. */
  reportExternal(): void {
    const [first] = this.#external;
    if (first === undefined) return;
    const others = this.#external.length - 1;
    this.#findings.mistake(
      first,
      `this $ref points to another file${others === 0 ? '' : `, like ${others} more`}; bundle the document into one file first, for example with: npx @redocly/cli bundle openapi.yaml --output bundled.yaml`,
    );
  }

  #operation(method: string, value: unknown, name: string, at: Location): readonly DescribedOperation[] {
    if (!isRecord(value)) {
      this.#findings.mistake(at, `${method} ${name}: an operation must be an object`);
      return [];
    }
    const reference = value['$ref'];
    if (reference === undefined) return [{ method, operation: value, at }];
    if (isExternal(reference)) this.#external.push([...at, '$ref']);
    else
      this.#findings.mistake(at, `${method} ${name}: an operation cannot be a $ref, only a whole path can`);
    return [];
  }

  #additional(
    value: unknown,
    name: string,
    at: Location,
    read: (method: string, value: unknown, at: Location) => readonly DescribedOperation[],
  ): readonly DescribedOperation[] {
    if (!isRecord(value)) {
      this.#findings.mistake(at, `${name}: additionalOperations must be an object of operations by method`);
      return [];
    }
    return Object.entries(value).flatMap(([method, operation]) => {
      const here = [...at, method];
      if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(method) && !methodFields.has(method.toLowerCase()))
        return read(method, operation, here);
      const problem = methodFields.has(method.toLowerCase())
        ? `belongs in "${method.toLowerCase()}"`
        : 'is not a method';
      this.#findings.mistake(here, `${name}: ${JSON.stringify(method)} in additionalOperations ${problem}`);
      return [];
    });
  }

  #targetOf(reference: unknown, name: string, at: Location): ItemMember | undefined {
    if (typeof reference === 'string' && isExternal(reference)) {
      this.#external.push(at);
      return undefined;
    }
    const targets = typeof reference === 'string' ? this.#pointed(reference) : [];
    const [target] = targets;
    if (target !== undefined && targets.every(({ value }) => value === target.value)) return target;
    const problem =
      target === undefined ? 'to nothing in this document' : 'to two places, percent-decoded or not';
    return this.#findings.mistake(at, `${name}: its $ref points ${problem}`);
  }

  /** Returns the target of a fragment, percent-decoded (RFC 6901 section 6) or, as many tools write it, as it is. */
  #pointed(reference: string): readonly ItemMember[] {
    const fragment = reference.slice(1);
    return [...new Set([percentDecoded(fragment), fragment])].flatMap((pointer) => {
      if (!pointer.startsWith('/')) return [];
      const at = pointer
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const value = at.reduce<unknown>(
        (inside, part) => (isRecord(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined),
        this.#document,
      );
      return value === undefined ? [] : [{ value, at }];
    });
  }
}

/** The methods that have a field of their own: OpenAPI 3.2 section 4.9. */
export const methodFields: ReadonlySet<string> = new Set([
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
]);

const otherFields: ReadonlySet<string> = new Set([
  'summary',
  'description',
  'servers',
  'parameters',
  'additionalOperations',
]);

/** Returns true if the members next to a reference and those of its target contradict each other. */
function isContradicted(field: string, beside: unknown, target: unknown): boolean {
  if (methodFields.has(field) || field === 'additionalOperations') return true;
  return (
    (field === 'x-permission' || field === 'servers') && JSON.stringify(beside) !== JSON.stringify(target)
  );
}

function isExternal(reference: unknown): boolean {
  return typeof reference === 'string' && !reference.startsWith('#');
}

function problemOfField(field: string): string {
  if (field === '<<') return 'merges only in YAML, and without quotes';
  return methodFields.has(field.toLowerCase())
    ? `must be written "${field.toLowerCase()}"`
    : 'is neither an operation nor another field of a path; other methods belong in additionalOperations';
}

/** Returns a percent-decoded text; a text whose bytes are not UTF-8 stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
