import type { JsonSchema } from '@countersign/contract';
import { escapeHtml, inline } from './markup.ts';

/** Renders a schema's members as a list; one list per variant if it has several. */
export function schemaMembers(schema: JsonSchema): string {
  if (schema.oneOf) {
    return schema.oneOf
      .map((form) => `<h4>${escapeHtml(formTitle(form))}</h4>${schemaMembers(form)}`)
      .join('\n');
  }
  if (schema.enum) return `<p>${values(schema.enum)}</p>`;
  const required = new Set(schema.required);
  return `<dl>${Object.entries(schema.properties ?? {})
    .map(([name, member]) => entry(name, member, required.has(name) ? '' : 'optional'))
    .join('\n')}</dl>`;
}

/** Renders one named value: its type, its description and its constraints. */
export function entry(name: string, schema: JsonSchema, remark: string, description?: string): string {
  const text = description ?? schema.description;
  const inner = schema.items?.properties ? schema.items : schema.properties ? schema : undefined;
  const kinds = [typeOf(schema), ...(remark === '' ? [] : [remark])].join(', ');
  const limits = limitsOf(schema);
  return `<div><dt><code>${escapeHtml(name)}</code> <small>${kinds}</small></dt><dd>${[
    ...(text === undefined ? [] : [inline(text)]),
    ...(limits === '' ? [] : [`<small>${limits}</small>`]),
    ...(inner ? [schemaMembers(inner)] : []),
  ].join('\n')}</dd></div>`;
}

/** Links to a schema's description. */
export function schemaLink(name: string): string {
  return `<a href="#${schemaAnchor(name)}">${escapeHtml(name)}</a>`;
}

/** Returns a schema's anchor on the page; an operation's anchor is its ID. */
export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** Returns the name of the schema that a reference points to. */
export function schemaNameOf({ $ref }: JsonSchema): string | undefined {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

function formTitle({ properties = {} }: JsonSchema): string {
  return Object.entries(properties)
    .filter(([, { const: only }]) => only !== undefined)
    .map(([name, { const: only }]) => `Where ${name} is ${JSON.stringify(only)}`)
    .join(', ');
}

function typeOf(schema: JsonSchema): string {
  const name = schemaNameOf(schema);
  if (name !== undefined) return schemaLink(name);
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) return choice.map(typeOf).join(' or ');
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.format === 'date-time') return 'time';
  if (schema.type === undefined) return 'any';
  return escapeHtml([schema.type].flat().join(' or '));
}

function limitsOf(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, default: usual } = schema;
  return [
    ...(schema.enum ? [values(schema.enum)] : []),
    ...(schema.items?.enum ? [values(schema.items.enum)] : []),
    ...(schema.anyOf ?? []).map(limitsOf).filter((text) => text !== ''),
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' elements'),
    // Longer patterns are for programs; the description explains them.
    ...(pattern !== undefined && pattern.length <= patternLengthMax
      ? [`matches <code>${escapeHtml(pattern)}</code>`]
      : []),
    ...(usual === undefined ? [] : [`default ${escapeHtml(JSON.stringify(usual))}`]),
  ]
    .filter((text) => text !== '')
    .join('; ');
}

const patternLengthMax = 40;
const valuesShownMax = 24;

function range(from: number | undefined, to: number | undefined, unit: string): string {
  if (from === undefined && to === undefined) return '';
  if (from === undefined) return `at most ${number(to)}${unit}`;
  if (to === undefined) return from === 1 && unit !== '' ? 'not empty' : `at least ${number(from)}${unit}`;
  return `${number(from)} to ${number(to)}${unit}`;
}

function number(value: number | undefined): string {
  return (value ?? 0).toLocaleString('en');
}

function values(all: readonly unknown[]): string {
  const codes = all.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  return all.length <= valuesShownMax
    ? codes
    : `<details><summary>${all.length} values</summary>${codes}</details>`;
}
