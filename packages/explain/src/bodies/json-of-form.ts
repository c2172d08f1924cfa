import { decodedForm } from '../reading/url-parts.ts';

type Value = null | boolean | number | string | Value[] | Members;
interface Members {
  [name: string]: Value;
}

/**
 * Writes the JSON from which a form was probably made: names such as `a[b][0]` and `a.b.0` are paths, and
 * texts that look like numbers and booleans become numbers and booleans. Undefined if the text is not a form.
 * Cannot recover what a form cannot express: empty objects and lists.
 */
export function jsonOfForm(text: string): string | undefined {
  if (text.length > formLengthMax || !/^[^=&\s{"]+=[^&\s]*(?:&[^=&\s]+=[^&\s]*)*$/.test(text))
    return undefined;
  const root = members();
  for (const part of text.split('&')) {
    const [name, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)].map(
      decodedForm,
    );
    if (name === undefined || value === undefined) return undefined;
    const path = name.replaceAll(']', '').split(/[[.]/);
    if (path.length > depthMax || !put(root, path, typed(value))) return undefined;
  }
  return JSON.stringify(withLists(root));
}

const formLengthMax = 16 * 1024;
const depthMax = 8;

/** Without a prototype, so that no name in a stranger's form is special. */
function members(): Members {
  return Object.create(null) as Members;
}

function put(root: Members, path: readonly string[], value: Value): boolean {
  let inner = root;
  for (const name of path.slice(0, -1)) {
    const next = (inner[name] ??= members());
    if (typeof next !== 'object' || Array.isArray(next)) return false;
    inner = next!;
  }
  const last = path.at(-1)!;
  if (last in inner) return false;
  inner[last] = value;
  return true;
}

function typed(text: string): Value {
  if (text === '') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text) ? Number(text) : text;
}

/** Members whose names count from 0 are the items of a list. */
function withLists(value: Value): Value {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [name, withLists(one)] as const);
  if (entries.length > 0 && entries.every(([name], index) => name === String(index)))
    return entries.map(([, one]) => one);
  return Object.assign(members(), Object.fromEntries(entries));
}
