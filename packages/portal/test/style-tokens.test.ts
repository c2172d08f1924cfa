import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../src/', import.meta.url));
// Fonts and the frame before the style sheet are outside of the theme.
const files = globSync('**/*.css', { cwd: folder }).filter(
  (file) => !/theme.(?:fonts|shell)\.css$/.test(file),
);

/** In pixels, up to the height of a row. Longer ones are places, not spacing. */
const spacings = [0, 1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64];

/** Lists the declarations that match, as `file: declaration`. */
function declarationsOf(property: RegExp): readonly (readonly [place: string, value: string])[] {
  const pattern = new RegExp(`(?:^|[\\s{;])((?:${property.source})): ([^;]+);`, 'g');
  return files.flatMap((file) =>
    Array.from(
      readFileSync(`${folder}${file}`, 'utf8').matchAll(pattern),
      ([, name, value = '']) => [`${file}: ${name}: ${value}`, value] as const,
    ),
  );
}

function wrong(property: RegExp, isRight: (value: string) => boolean): readonly string[] {
  const declarations = declarationsOf(property);
  assert.ok(declarations.length > 10, `${declarations.length} declarations`);
  return declarations.filter(([, value]) => !isRight(value)).map(([place]) => place);
}

describe('the styles of the portal', () => {
  it("use the theme's three weights", () => {
    const isRight = (value: string): boolean =>
      /^(?:inherit|var\(--mantine-font-weight-(?:regular|medium|bold)\))$/.test(value);
    assert.deepEqual(wrong(/font-weight/, isRight), []);
  });

  it('use one radius, a small one within text, and round ends', () => {
    const isRight = (value: string): boolean =>
      value.split(' ').every((one) => /^(?:0|50%|inherit|var\(--mantine-radius-(?:xs|md|xl)\))$/.test(one));
    assert.deepEqual(wrong(/border-radius/, isRight), []);
  });

  it('use one scale of spacing', () => {
    const isRight = (value: string): boolean =>
      [...value.matchAll(/(?<![\w.-])-?(\d*\.?\d+)(rem|px)\b/g)].every(([, amount, unit]) => {
        const px = Number(amount) * (unit === 'rem' ? 16 : 1);
        return px > 64 || spacings.includes(px);
      });
    // How much room there is decides what stands in a calculation.
    const isCalculated = (value: string): boolean => /\b(?:calc|clamp|env|max|min)\(/.test(value);
    const property = /(?:padding|margin|gap|row-gap|column-gap)(?:-[a-z-]+)?/;
    assert.deepEqual(
      wrong(property, (value) => isCalculated(value) || isRight(value)),
      [],
    );
  });
});
