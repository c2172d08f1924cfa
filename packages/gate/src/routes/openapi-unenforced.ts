import { type Findings, isRecord, type Location } from './openapi-finding.ts';
import type { OpenApiReading } from './openapi-reading.ts';

/**
 * Counts the features of operations that routes do not enforce: separate findings would add a line to the
 * report for almost every operation.
 */
export class Unenforced {
  readonly #scoped: Location[] = [];
  readonly #severalTags: Location[] = [];

  /** @param shared the security requirements of the document */
  count(operation: Record<string, unknown>, at: Location, shared: unknown): void {
    const { security = shared } = operation;
    const requirements: readonly unknown[] = Array.isArray(security) ? security : [];
    const isScoped = requirements.some(
      (one) =>
        isRecord(one) && Object.values(one).some((scopes) => Array.isArray(scopes) && scopes.length > 0),
    );
    if (isScoped) this.#scoped.push(operation['security'] === undefined ? ['security'] : [...at, 'security']);
  }

  /** Counts an operation whose permission comes from the first of several tags. */
  countSeveralTags(at: Location): void {
    this.#severalTags.push(at);
  }

  report(ignore: OpenApiReading['ignore'], findings: Findings): void {
    const [scoped] = this.#scoped;
    if (scoped && !ignore?.includes('scopes'))
      findings.warning(
        scoped,
        `${operations(this.#scoped.length)} security scopes, which are not enforced: permissions take their place. "ignore": ["scopes"] in the setting openapiReading leaves this line out`,
      );
    const [several] = this.#severalTags;
    if (several && !ignore?.includes('furtherTags'))
      findings.warning(
        several,
        `${operations(this.#severalTags.length)} several tags, and only the first one decides the permission. "ignore": ["furtherTags"] in the setting openapiReading leaves this line out`,
      );
  }
}

function operations(count: number): string {
  return count === 1 ? 'an operation has' : `${count} operations have`;
}
