/** A path of a document, in the form that the route table reads. */
export interface ReadTemplate {
  /** A path pattern. */
  readonly path: string;
  /** Details in the document that routes cannot tell apart. */
  readonly warnings: readonly string[];
}

/**
 * Reads a path of an OpenAPI document. Documents of frameworks and gateways use braces for more than OpenAPI
 * defines: expressions of RFC 6570, `{proxy+}`, `{path*}` and `{name=projects/*}`. Rejects anything that
 * would match more than the document says.
 *
 * @returns what is wrong with it as a text
 */
export function readTemplate(written: string): ReadTemplate | string {
  const reader = new TemplateReader();
  const { text, warnings } = withoutQuery(written);
  let path = '';
  // Expressions are at the odd indexes.
  for (const [index, part] of text.split(/\{((?:[^{}]|\{[^{}]*\})*)\}/).entries()) {
    const read = index % 2 === 0 ? part : reader.expression(part);
    if (typeof read !== 'string') return `{${part}} ${read.problem}`;
    path += read;
  }
  const literals = path.replace(/\{[^{}]*\}/g, '{}').split('/');
  for (const literal of literals) {
    const name = /^(?::|\[)([A-Za-z_].*?)\]?$/.exec(literal)?.[1];
    if (name !== undefined)
      warnings.push(`${literal} is plain text and not a parameter; parameters are written {${name}}`);
    if (literal.includes('*'))
      return `has "*", which is plain text in OpenAPI and matches nothing else: ${inTable}`;
    if (/[<>]/.test(literal)) return 'has < or >, which URLs cannot have; parameters are written {name}';
  }
  return { path, warnings: [...warnings, ...reader.warnings] };
}

/** Prepends a base path to a path. Names do not matter, so a parameter that occurs in both is renamed. */
export function belowBasePath(prefix: string, path: string): string {
  if (!prefix.includes('{')) return prefix + path;
  const taken = new Set(Array.from(`${prefix}${path}`.matchAll(parameters), ([, name]) => name));
  const inPrefix = new Set(Array.from(prefix.matchAll(parameters), ([, name]) => name));
  const renamed = path.replace(parameters, (whole, name: string) => {
    if (!inPrefix.has(name)) return whole;
    const other = newName(name, taken);
    return whole.replace(name, () => other);
  });
  return prefix + renamed;
}

const parameters = /\{([^{}+]+)\+?\}/g;

function newName(base: string, taken: Set<string | undefined>): string {
  let name = base;
  for (let count = 2; taken.has(name); count++) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

/** Removes a query and a fragment, which routes cannot tell apart. */
function withoutQuery(written: string): { readonly text: string; readonly warnings: string[] } {
  const end = /(?:\{[?&#][^{}]*\})+$/.exec(written)?.[0] ?? '';
  const whole = end === '' ? written : written.slice(0, -end.length);
  // Within braces, these signs are operators.
  const cut = /^(?:[^{}?#]|\{[^{}]*\})*/.exec(whole)![0];
  const rest = whole.slice(cut.length);
  if (!/^[?#]/.test(rest)) return { text: whole, warnings: end === '' ? [] : [aboutRest(end)] };
  return { text: cut, warnings: [aboutRest(`${rest}${end}`)] };
}

function aboutRest(rest: string): string {
  return `${JSON.stringify(rest)} is ignored, because routes match the path alone`;
}

interface Problem {
  readonly problem: string;
}

const inTable = 'in the setting openapiReading, give this path a "path" that says what it matches';

class TemplateReader {
  readonly warnings: string[] = [];
  readonly #names = new Set<string>();

  /** Returns the part of a path pattern for an expression. */
  expression(text: string): string | Problem {
    const several =
      /^\+(?<a>[\w.-]+)$|^\*{1,2}(?<b>[\w.-]+)$|^(?<c>[\w.-]+)(?:\+|\*|\.\.\.|:path|:\.[*+]|=\*\*)$/.exec(
        text,
      )?.groups;
    if (several) return this.#parameter(several['a'] ?? several['b'] ?? several['c']!, '+');
    const [, name = '', many] = /^\/([\w.-]+)(\*?)$/.exec(text) ?? [];
    if (name !== '') return `/${this.#parameter(name, many === '*' ? '+' : '')}`;
    const [, resource = '', below = ''] = /^([\w.-]+)=([^{}]+)$/.exec(text) ?? [];
    if (resource !== '') return this.#resourceName(resource, below);
    if (text.trim() === '') return { problem: 'has no name' };
    if (text.endsWith('?'))
      return {
        problem: `is optional, and OpenAPI paths have no optional parts: write two paths, or ${inTable}`,
      };
    if (text.includes(':'))
      return { problem: `limits what it matches, which a route cannot check: ${inTable}` };
    if (/^[.;,/&=!@|+*?#]|[*+/=,]|[{}]/.test(text))
      return { problem: `is not an OpenAPI parameter: ${inTable}` };
    return this.#parameter(text, '');
  }

  /** Reads the pattern of a Google resource name, such as `projects/*` of `{name=projects/*}`. */
  #resourceName(name: string, pattern: string): string | Problem {
    const parts = pattern.split('/');
    if (!parts.every((part) => /^(?:\*{1,2}|[\w.~-]+)$/.test(part)))
      return { problem: `is not an OpenAPI parameter: ${inTable}` };
    return parts
      .map((part) => {
        if (part === '**') return this.#parameter(name, '+');
        return part === '*' ? this.#parameter(name, '') : part;
      })
      .join('/');
  }

  /** OpenAPI allows any names, and routes ignore them; a pattern has each one once. */
  #parameter(written: string, end: '' | '+'): string {
    const base = written.replace(/[^A-Za-z0-9_.-]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
    return `{${newName(base, this.#names)}${end}}`;
  }
}
