import { type Findings, isRecord, type Location } from './openapi-finding.ts';

/** Whether a field was meant to be `x-permission`, or is it. */
export function isLikePermission(field: string): boolean {
  return /^(?:x[-_ ]?)?perm[a-z]*$/i.test(field);
}

export const wrongPlace = 'is read only in a path or an operation';

/** Reports fields of a document that it does not have, and permissions where they are not read. */
export function reportRootFields(document: Record<string, unknown>, findings: Findings): void {
  for (const [name, value] of Object.entries(document)) {
    if (isLikePermission(name)) findings.mistake([name], `${name} ${wrongPlace}`);
    else if (name === '<<') findings.mistake([name], mergesOnlyInYaml);
    else if (!rootFields.has(name) && !name.startsWith('x-'))
      findings.warning([name], `${JSON.stringify(name)} is no field of an OpenAPI document`);
    // A permission beside a list or an object of parts would seem to hold for all that they name.
    const parts = name === 'tags' && Array.isArray(value) ? Object.entries(value) : [];
    for (const [key, part] of [...parts, ...(name === 'info' ? [['', value] as const] : [])])
      for (const field of isRecord(part) ? Object.keys(part).filter(isLikePermission) : [])
        findings.mistake([name, ...(key === '' ? [] : [key]), field], `${field} ${wrongPlace}`);
  }
}

/** Reports fields that an operation does not have. */
export function reportOperationFields(
  operation: Record<string, unknown>,
  at: Location,
  name: string,
  findings: Findings,
): void {
  for (const field of Object.keys(operation)) {
    const here = [...at, field];
    if (operationFields.has(field) || field.startsWith('x-') || isLikePermission(field)) continue;
    if (field === '<<') findings.mistake(here, `${name}: ${mergesOnlyInYaml}`);
    else if (operationFields.has(field.toLowerCase()))
      findings.mistake(here, `${name}: "${field}" must be written "${field.toLowerCase()}"`);
    else findings.warning(here, `${name}: ${JSON.stringify(field)} is no field of an operation`);
  }
}

const mergesOnlyInYaml = '"<<" merges only in YAML, and without quotes';

/** The fields of Swagger 2.0 and OpenAPI 3.2. */
const rootFields: ReadonlySet<string> = new Set(
  'openapi $self info jsonSchemaDialect servers paths webhooks components security tags externalDocs swagger host basePath schemes consumes produces definitions parameters responses securityDefinitions'.split(
    ' ',
  ),
);

const operationFields: ReadonlySet<string> = new Set(
  'tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated security servers consumes produces schemes'.split(
    ' ',
  ),
);
