import type { Findings } from './openapi-finding.ts';

/** Reports a version of OpenAPI that is missing, unknown or new. */
export function checkVersion(
  { swagger, openapi }: Readonly<Record<string, unknown>>,
  findings: Findings,
): void {
  const version = swagger ?? openapi;
  if (version === undefined) return findings.warning([], 'it does not say which version of OpenAPI it uses');
  const text = versionText(version);
  const written = JSON.stringify(version);
  if (!(swagger === undefined ? /^3(?:\.|$)/ : /^2(?:\.0)?$/).test(text))
    return findings.mistake(
      [swagger === undefined ? 'openapi' : 'swagger'],
      `the version ${written} is not supported, only Swagger 2.0 and OpenAPI 3`,
    );
  if (swagger === undefined && !/^3(?:\.[0-2](?:\.|$)|$)/.test(text))
    return findings.warning(['openapi'], `the version ${written} is newer than 3.2 and is read as 3.2`);
  return undefined;
}

/** YAML reads 2.0 and 3.1 as numbers. */
function versionText(version: unknown): string {
  return typeof version === 'string' || typeof version === 'number' ? String(version) : '';
}
