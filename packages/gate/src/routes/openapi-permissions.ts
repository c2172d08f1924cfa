import { type Permission, problemOfDeploymentPermission } from '@countersign/contract/permissions';
import type { Findings, Location } from './openapi-finding.ts';
import type { RouteRule } from './route-table.ts';

/** The value of `x-permission` that opens a route to every active client. */
export const noPermission = 'none';

/** Returns the permission of a document's route as it is written. */
export function writtenPermission({ permission }: Pick<RouteRule, 'permission'>): string {
  return permission?.kind === 'one' ? permission.permission : noPermission;
}

/** Returns what is wrong with a written permission; undefined if nothing is. */
export function problemOfPermission(permission: unknown): string | undefined {
  if (permission === noPermission) return undefined;
  if (typeof permission !== 'string') return 'must be a string';
  return problemOfDeploymentPermission(permission);
}

/** The sources of a permission for an operation without `x-permission`. */
export interface PermissionSource {
  readonly kind: 'tag' | 'path segment' | 'nothing';
  readonly text: string;
}

/**
 * Names the resources of permissions after tags and path segments. Two of them get the same name only if they
 * differ in case, spaces and hyphens alone; anything else is a mistake in the document, because two things
 * would get one permission.
 */
export class ResourceNames {
  readonly #given: Readonly<Record<string, string>>;
  readonly #findings: Findings;
  readonly #owners = new Map<string, { readonly identity: string; readonly source: PermissionSource }>();
  /** The results, by source: each problem is reported once. */
  readonly #known = new Map<string, string | undefined>();
  /** The given names that were used. */
  readonly used: Set<string> = new Set<string>();

  /** @param given names that the operator chose, by tag or path segment */
  constructor(given: Readonly<Record<string, string>>, findings: Findings) {
    this.#given = given;
    this.#findings = findings;
  }

  /** Returns the name of a source, or undefined after reporting why there is none. */
  nameOf(source: PermissionSource, at: Location): string | undefined {
    const key = `${source.kind} ${source.text}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#newName(source, at));
    return this.#known.get(key);
  }

  #newName(source: PermissionSource, at: Location): string | undefined {
    const { kind, text } = source;
    const isGiven = kind !== 'nothing' && Object.hasOwn(this.#given, text);
    if (isGiven) this.used.add(text);
    const name = isGiven ? this.#given[text]! : derivedName(text);
    const described = describe(source);
    if (name === undefined)
      return this.#findings.mistake(
        at,
        `${described} has no letters a-z to name a permission after: ${advice([text])}`,
      );
    const identity = isGiven ? 'given' : `${kind === 'nothing' ? 'nothing' : ''} ${identityOf(text)}`;
    const owner = this.#owners.get(name);
    if (owner !== undefined && owner.identity !== identity)
      return this.#findings.mistake(
        at,
        `${described} and ${describe(owner.source)} would be one permission, ${name}:…: ${advice([owner.source.text, text])}`,
      );
    this.#owners.set(name, owner ?? { identity, source });
    return name;
  }
}

function describe({ kind, text }: PermissionSource): string {
  return kind === 'nothing' ? 'a path without text' : `the ${kind} ${JSON.stringify(text)}`;
}

function advice(texts: readonly string[]): string {
  const names = texts.map((text) => `${JSON.stringify(text)}: "a-name"`).join(', ');
  return `write x-permission, or set "tags": {${names}} in the setting openapiReading`;
}

/** Differences that authors do not intend: case, spaces, hyphens and the like. */
function identityOf(text: string): string {
  return words(text.normalize('NFC'))
    .replace(/[\s_.-]+/g, '-')
    .replace(/^-|-$/g, '');
}

function words(text: string): string {
  return text.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

/** Converts a tag to the resource of a permission; undefined if letters or digits would be lost. */
function derivedName(text: string): string | undefined {
  const plain = words(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\0-\x7f]/g, (letter) => latin[letter] ?? letter);
  if (/[^\0-\x7f]/.test(plain.replace(/[^\p{L}\p{N}]/gu, ''))) return undefined;
  const name = plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  if (name === '') return undefined;
  // With the prefix it must fit into a permission.
  const short = name.slice(0, 36).replace(/-$/, '');
  // A number is not a name, and the console's own resources are reserved.
  return problemOfDeploymentPermission(`${short}:read`) === undefined ? short : `api-${short}`;
}

/** Letters that Unicode does not decompose. */
const latin: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
};

/** Describes a permission that a provider's route needs, for roles and the portal. */
export function summaryOf(permission: Permission): string {
  const [resource, action] = permission.split(':') as [string, string];
  const what = `${resource.replace(/^api-/, '').replaceAll('-', ' ')} of the protected API`;
  if (action === 'read') return `Read ${what}`;
  return action === 'write' ? `Create, change and delete ${what}` : `${action.replaceAll('-', ' ')}: ${what}`;
}
