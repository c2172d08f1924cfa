import type { Findings, Location } from './openapi-finding.ts';

/**
 * Returns true if a field is `x-permission`, or was meant to be: with other punctuation, with more words, or
 * misspelled.
 */
export function isLikePermission(field: string): boolean {
  const text = field.slice(0, 2000).normalize('NFKD');
  const letters = text.toLowerCase().replace(/[^a-z]/g, '');
  return (
    /^x?perm(?:$|[is])/.test(letters) ||
    /^x.*permission/.test(letters) ||
    // A comment or another name may have swallowed it.
    /[^a-z]x[^a-z]?permi/i.test(text) ||
    isMisspelled(letters)
  );
}

/** Doubled, missing and swapped letters of the word, at most one of them lost. */
function isMisspelled(letters: string): boolean {
  const [, word = ''] = /^x(p[ermison]+)$/.exec(letters) ?? [];
  return new Set(word).size >= 7;
}

/** Returns true if a field is an extension. White space and quotation marks come from something that it swallowed. */
export function isExtension(field: string): boolean {
  return /^x-[^\s"']+$/.test(field);
}

export const wrongPlace = 'is read only in a path or an operation';

/**
 * Reports unknown fields of a document, and permissions in places where they are not read.
 *
 * @param isLocated true if the operator sets the base paths, so that no unknown field can have been meant to
 */
export function reportRootFields(
  document: Record<string, unknown>,
  isLocated: boolean,
  findings: Findings,
): void {
  for (const name of Object.keys(document)) {
    if (isLikePermission(name)) findings.mistake([name], `${name} ${wrongPlace}`);
    else if (name === '<<') findings.mistake([name], mergesOnlyInYaml);
    else if (!rootFields.has(name) && !isExtension(name)) {
      const unknown = `${JSON.stringify(name)} is not a field of an OpenAPI document`;
      if (isLocated) findings.warning([name], unknown);
      else
        findings.mistake(
          [name],
          `${unknown}: write x- before it, or set "basePath" in the setting openapiReading if it has nothing to do with servers`,
        );
    }
  }
}

/**
 * Reports unknown fields of an operation.
 *
 * @param isPermitted true if the operator gives it a permission, so that no unknown field can have been meant
 * to
 */
export function reportOperationFields(
  operation: Record<string, unknown>,
  { at, name }: { readonly at: Location; readonly name: string },
  isPermitted: boolean,
  findings: Findings,
): void {
  for (const field of Object.keys(operation)) {
    const here = [...at, field];
    if (operationFields.has(field) || isExtension(field) || isLikePermission(field)) continue;
    const known = field.toLowerCase().trim();
    const unknown = `${name}: ${JSON.stringify(field)} is not a field of an operation`;
    if (field === '<<') findings.mistake(here, `${name}: ${mergesOnlyInYaml}`);
    else if (operationFields.has(known))
      findings.mistake(here, `${name}: ${JSON.stringify(field)} must be written "${known}"`);
    else if (isPermitted) findings.warning(here, unknown);
    else
      findings.mistake(
        here,
        `${unknown}: write x- before it, or give the operation a "permission" in the setting openapiReading`,
      );
  }
}

const mergesOnlyInYaml = '"<<" merges only in YAML, and without quotes';

/** The fields of Swagger 2.0 and OpenAPI 3.2. */
const rootFields: ReadonlySet<string> = new Set(
  'openapi $schema $self info jsonSchemaDialect servers paths webhooks components security tags externalDocs swagger host basePath schemes consumes produces definitions parameters responses securityDefinitions'.split(
    ' ',
  ),
);

const operationFields: ReadonlySet<string> = new Set(
  'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers consumes produces schemes'.split(
    ' ',
  ),
);
