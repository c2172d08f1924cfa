import { hash } from 'node:crypto';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { parseAst } from 'vite';

/*
 * Preloaded into a program (`node --import`): rewords every sentence in the sources of the explainer and of the checks, so that
 * code which looks into one decides otherwise. Equal sentences become equal ones.
 *
 * REWORDING  chooses the words
 */
const { REWORDING: rewording } = process.env;
const sources = /\/packages\/(?:explain|signature)\/(?:src|dist)\//;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (rewording === undefined || !sources.test(url)) return loaded;
    const text = Buffer.from(loaded.source).toString();
    const source = url.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    return { ...loaded, format: 'module', source: reworded(source) };
  },
});

/** Two words in a row, as no name and no value has them but what JavaScript prints for objects. */
const sentence = /(?<![\w[])[A-Za-z]{2,} (?!Object|object)[a-z]{2,}(?![\w-])/;

function reworded(source) {
  const pieces = [];
  visit(parseAst(source), (node) => {
    if (node.type === 'Literal' && typeof node.value === 'string' && sentence.test(node.value))
      pieces.push([node.start + 1, node.end - 1]);
    if (node.type === 'TemplateLiteral' && sentence.test(source.slice(node.start, node.end)))
      for (const { start, end } of node.quasis) pieces.push([start, end]);
  });
  // From the end, so that places stay right.
  return pieces
    .toSorted(([one], [other]) => other - one)
    .reduce(
      (text, [start, end]) => text.slice(0, start) + otherWords(text.slice(start, end)) + text.slice(end),
      source,
    );
}

function visit(node, see) {
  if (Array.isArray(node)) for (const one of node) visit(one, see);
  else if (typeof node === 'object' && node !== null) {
    if (typeof node.type === 'string') see(node);
    for (const part of Object.values(node)) visit(part, see);
  }
}

/** Words become others of the same length; what is escaped and everything else stays. */
function otherWords(text) {
  return text.replace(/\\.|[A-Za-z]{2,}/g, (word) =>
    word.startsWith('\\') ? word : letters(`${rewording} ${word}`, word.length),
  );
}

function letters(seed, length) {
  const digits = hash('sha256', seed, 'hex').repeat(Math.ceil(length / 64));
  return digits
    .slice(0, length)
    .replace(/./g, (digit) => 'qxzvkjwyghmdubfp'.charAt(Number.parseInt(digit, 16)));
}
