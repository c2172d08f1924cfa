import type { OpenApiOperation, OpenApiParameter } from '@countersign/contract';

/**
 * Writes a command that calls an operation with everything it requires; of the optional parts, it includes only
 * the body.
 */
export function requestLine(
  method: string,
  path: string,
  { requestBody }: OpenApiOperation,
  parameters: readonly OpenApiParameter[],
): string {
  const needed = parameters.filter(({ required }) => required);
  const target = needed.reduce((text, { name, in: place, example = '' }) => {
    return place === 'path' ? text.replace(`{${name}}`, example) : text;
  }, path);
  const query = needed.filter((one) => one.in === 'query').map(({ name }) => `${name}=203.0.113.7`);
  const url = query.length === 0 ? target : `'${target}?${query.join('&')}'`;
  const fields = needed.filter((one) => one.in === 'header').map(({ name }) => ` \\\n  -H '${name}: "1"'`);
  const example = requestBody?.content['application/json']?.example;
  const body = example === undefined ? '' : ` \\\n  -d '${JSON.stringify(example)}'`;
  return `countersign request ${method.toUpperCase()} ${url}${fields.join('')}${body}`;
}
