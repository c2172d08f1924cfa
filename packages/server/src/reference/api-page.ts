import {
  problemCodesMetBy,
  type JsonSchema,
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  type ProblemCode,
  problems,
  type Reference,
} from '@countersign/contract';
import { escapeHtml, inline, paragraphs } from './markup.ts';
import { type ContentsEntry, heading, writePage } from './page.ts';
import { requestLine } from './request-line.ts';
import { entry, schemaAnchor, schemaLink, schemaMembers, schemaNameOf } from './schema-markup.ts';

const commonCodes = problemCodesMetBy('every request');

/** A section of the API reference. */
export interface ReferenceSection extends ContentsEntry {
  /** HTML in which everything is escaped. */
  readonly html: string;
}

/** Renders the API reference from its OpenAPI document, with a section for each operation and each schema. */
export function apiPage(document: OpenApiDocument): string {
  const sections = referenceSections(document);
  const main = [
    paragraphs(document.info.description),
    `<p class="note quiet">Base URL: ${document.servers.map(({ url }) => `<code>${escapeHtml(url)}</code>`).join(' or ')}. For programs: <a href="/openapi.json">openapi.json</a>.</p>
<p class="note quiet">The lines with <code>countersign</code> sign a request and send it. With <code>sign --curl</code> instead of <code>request</code>, they print it for curl.</p>`,
    ...sections.map(({ html }) => html),
  ].join('\n');
  const links = [
    { href: '/docs/errors', text: 'Error codes' },
    { href: '/docs/troubleshooting', text: 'Troubleshooting' },
    { href: '/openapi.json', text: 'openapi.json' },
  ];
  return writePage({ title: 'API reference', contents: sections, links, main });
}

/** Renders the sections of the API reference; the portal shows each as a document of its own. */
export function referenceSections(document: OpenApiDocument): readonly ReferenceSection[] {
  return [
    { anchor: 'signature', text: 'Signature', html: signatureSection(document) },
    ...groupsOf(document).map((group) => ({
      anchor: anchorOf(group.name),
      text: group.name,
      entries: group.operations.map(({ operation: { operationId } }) => ({
        anchor: operationId,
        text: operationId,
      })),
      html: groupSection(group, document),
    })),
    { anchor: 'refusals', text: 'Rejections of any request', html: refusalsSection() },
    {
      anchor: 'schemas',
      text: 'Schemas',
      entries: Object.keys(document.components.schemas).map((name) => ({
        anchor: schemaAnchor(name),
        text: name,
      })),
      html: schemasSection(document),
    },
  ];
}

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Placed[];
}

function groupsOf({ tags, paths }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Placed => ({ method, path, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

function signatureSection({ components }: OpenApiDocument): string {
  const fields = Object.values(components.securitySchemes).map(
    ({ name, description }) => `<h4><code>${escapeHtml(name)}</code></h4>${paragraphs(description)}`,
  );
  return `<section id="signature">${heading(2, 'signature', 'Signature')}
<p>An operation that programs call needs the two header fields of a signature; the third scheme is for people in the portal.</p>
${fields.join('\n')}</section>`;
}

function groupSection({ name, description, operations }: Group, document: OpenApiDocument): string {
  const anchor = anchorOf(name);
  return `<section id="${anchor}">${heading(2, anchor, escapeHtml(name))}
<p class="quiet">${inline(description)}</p>
<ul class="overview">${operations.map(overviewItem).join('\n')}</ul>
${operations.map((placed) => operationArticle(placed, document)).join('\n')}</section>`;
}

function overviewItem({ method, path, operation: { operationId, summary } }: Placed): string {
  return `<li><a href="#${operationId}">${inline(summary)}</a> ${callText(method, path)}</li>`;
}

function callText(method: string, path: string): string {
  return `<span class="call"><span class="method ${method}">${method.toUpperCase()}</span><span class="path">${escapeHtml(path)}</span></span>`;
}

function operationArticle({ method, path, operation }: Placed, document: OpenApiDocument): string {
  const { operationId, summary, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve<OpenApiParameter>(one, document));
  return `<article id="${operationId}">${heading(3, operationId, inline(summary))}
<p>${callText(method, path)}</p>
<p class="note quiet">${permissionText(operation)}</p>
${isForPeople(operation) ? '' : `<pre>${escapeHtml(requestLine(method, path, operation, parameters))}</pre>\n`}${parameterList(parameters)}${requestBody ? bodyPart(requestBody, document) : ''}
<h4>Responses</h4>
${answerList(operation, document)}</article>`;
}

function permissionText(operation: OpenApiOperation): string {
  const permission = operation['x-permission'];
  const onItself = operation['x-permission-on-itself'];
  const name = `<code>${operation.operationId}</code>`;
  const people = isForPeople(operation) ? ' · for people in the portal' : '';
  if (permission === null) return `${name}${people || ' · any active client'}`;
  const other = onItself === undefined ? '' : `, or <code>${onItself}</code> for the caller itself`;
  return `${name} · permission <code>${escapeHtml(permission)}</code>${other}${people}`;
}

/** Returns true if the operation accepts only a session, so no application can call it. */
function isForPeople({ security }: OpenApiOperation): boolean {
  return security?.every((alternative) => 'session' in alternative) === true;
}

function parameterList(parameters: readonly OpenApiParameter[]): string {
  if (parameters.length === 0) return '';
  const entries = parameters.map(({ name, in: place, required, schema, description }) =>
    entry(name, schema, `${place}${required ? '' : ', optional'}`, description),
  );
  return `<h4>Parameters</h4><dl>${entries.join('\n')}</dl>\n`;
}

function bodyPart(
  { required, content }: NonNullable<OpenApiOperation['requestBody']>,
  { components }: OpenApiDocument,
): string {
  const name = schemaNameOf(content['application/json']?.schema ?? {}) ?? '';
  const schema: JsonSchema = components.schemas[name] ?? {};
  return `<h4>Body: ${schemaLink(name)}${required ? '' : ', optional'}</h4>${schemaMembers(schema)}`;
}

function answerList({ responses }: OpenApiOperation, document: OpenApiDocument): string {
  const items = Object.entries(responses).flatMap(([status, response]) => {
    const { content } = resolve<OpenApiResponse>(response, document);
    const json = content['application/json'];
    if (json) {
      const name = schemaNameOf(json.schema) ?? '';
      const others = Object.keys(content).slice(1);
      const formats = others.length === 0 ? '' : `, or as ${others.map(inlineCode).join(' or ')}`;
      return [`<li><span class="status">${status}</span> ${schemaLink(name)}${formats}</li>`];
    }
    return codesIn(content['application/problem+json']?.schema)
      .filter((code) => !commonCodes.includes(code))
      .map(refusalItem);
  });
  return `<ul class="codes">${items.join('\n')}
<li class="quiet">and the <a href="#refusals">rejections of any request</a></li></ul>`;
}

function codesIn(schema: JsonSchema | undefined): readonly ProblemCode[] {
  const codes = schema?.allOf?.flatMap(({ properties }) => properties?.['code']?.enum ?? []) ?? [];
  return codes as ProblemCode[];
}

function refusalItem(code: ProblemCode): string {
  const { status, title } = problems[code];
  return `<li><span class="status">${status}</span> <a href="/docs/errors#${code}"><code>${code}</code></a> <span class="quiet">${inline(title)}</span></li>`;
}

function refusalsSection(): string {
  return `<section id="refusals">${heading(2, 'refusals', 'Rejections of any request')}
<p class="quiet">Any request can be rejected with these codes.</p>
<ul class="codes">${commonCodes.map(refusalItem).join('\n')}</ul></section>`;
}

function schemasSection({ components }: OpenApiDocument): string {
  const articles = Object.entries(components.schemas).map(
    ([
      name,
      schema,
    ]) => `<article id="${schemaAnchor(name)}">${heading(3, schemaAnchor(name), escapeHtml(name))}
<p class="note quiet">${inline(schema.description ?? '')}</p>
${schemaMembers(schema)}</article>`,
  );
  return `<section id="schemas">${heading(2, 'schemas', 'Schemas')}
${articles.join('\n')}</section>`;
}

function inlineCode(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function resolve<Part extends object>(part: Part | Reference, { components }: OpenApiDocument): Part {
  if (!('$ref' in part)) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  const places = components as unknown as Readonly<Record<string, Readonly<Record<string, Part>>>>;
  const found = places[kind]?.[name];
  if (found === undefined) throw new Error(`${part.$ref} leads nowhere in the OpenAPI document.`);
  return found;
}
