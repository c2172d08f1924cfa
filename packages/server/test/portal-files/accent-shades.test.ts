import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { accentShades, contrastOf } from '../../src/pages/accent-shades.ts';

/** Two for each of 24 hues, and two without. */
const colors = [
  ...Array.from({ length: 24 }, (_, index) => [hsl(index * 15, 1, 0.5), hsl(index * 15, 0.6, 0.2)]).flat(),
  '#000000',
  '#ffffff',
];

function hsl(hue: number, saturation: number, lightness: number): string {
  const part = (offset: number): string => {
    const place = (offset + hue / 30) % 12;
    const amount = saturation * Math.min(lightness, 1 - lightness);
    const value = lightness - amount * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${part(0)}${part(8)}${part(4)}`;
}

describe('the shades of an accent colour', () => {
  for (const color of colors) {
    it(`of ${color} can be read in light and dark colours`, () => {
      const { light, dark } = accentShades(color);
      const pairs: Readonly<Record<string, readonly [string, string, number]>> = {
        'white on a button': ['#ffffff', light['--mantine-color-ink-6'], 4.5],
        'white on a button under the pointer': ['#ffffff', light['--mantine-color-ink-7'], 4.5],
        'white on a gradient': ['#ffffff', light['--portal-accent-bright'], 4.5],
        'a link': [light['--portal-accent-text'], '#ffffff', 4.5],
        'a link on the side bar': [light['--portal-accent-text'], '#f0f2f5', 4.5],
        'text on a soft background': [light['--portal-accent-text'], light['--portal-accent-soft'], 4.5],
        'text on a light button': [light['--mantine-color-ink-7'], light['--mantine-color-ink-1'], 4.5],
        'the ring of the focus': [light['--portal-accent'], '#f0f2f5', 3],
        'white on a dark button': ['#ffffff', dark['--portal-accent-fill'], 4.5],
        'white on a dark button under the pointer': ['#ffffff', dark['--mantine-color-ink-6'], 4.5],
        'a dark button on its page': [dark['--portal-accent-fill'], '#13161c', 3],
        'a link in the dark': [dark['--portal-accent-text'], '#1b1f27', 4.5],
        'text on a soft dark background': [dark['--portal-accent-text'], dark['--portal-accent-soft'], 4.5],
        'the ring of the focus in the dark': [dark['--portal-accent'], '#20252e', 3],
      };
      const tooLow = Object.entries(pairs).flatMap(([name, [one, other, contrastMin]]) =>
        contrastOf(one, other) < contrastMin ? [`${name}: ${contrastOf(one, other).toFixed(2)}`] : [],
      );
      assert.deepEqual(tooLow, []);
    });
  }

  it('have exactly the given colour on buttons if it can be read', () => {
    for (const color of ['#0a7c66', '#b3123f', '#0a2540', '#000000', '#4c56cf'])
      assert.equal(accentShades(color).light['--portal-accent-fill'], color);
  });

  it("are the portal's own for its own colour, as its theme has them", () => {
    const { light, dark } = accentShades('#4c56cf');
    const theme = readFileSync(new URL('../../../portal/src/theme/theme.ts', import.meta.url), 'utf8');
    const ink = [...(/const ink[^[]+\[([^\]]+)\]/.exec(theme)?.[1] ?? '').matchAll(/#\w+/g)].map(
      ([hex]) => hex,
    );
    assert.equal(ink.length, 10);
    const shades = Object.entries(light).flatMap(([name, value]) => (name.includes('-ink-') ? [value] : []));
    assert.deepEqual(differing(shades, ink), []);
    const sheet = readFileSync(new URL('../../../portal/src/theme/portal.css', import.meta.url), 'utf8');
    const [lightBlock = '', darkBlock = ''] = sheet.split("[data-mantine-color-scheme='dark']", 2);
    for (const [block, values] of [
      [lightBlock, light],
      [darkBlock, dark],
    ] as const) {
      for (const [name, value] of Object.entries(values)) {
        const declared = new RegExp(`${name}: (#\\w+)`).exec(block)?.[1];
        if (declared !== undefined) assert.deepEqual(differing([value], [declared]), [], name);
      }
    }
  });
});

/** Rounding may change a part of a colour by one. */
function differing(found: readonly string[], expected: readonly string[]): readonly string[] {
  const partsOf = (color: string): number[] =>
    [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
  return found.filter((color, index) =>
    partsOf(color).some((part, place) => Math.abs(part - partsOf(expected[index]!)[place]!) > 1),
  );
}
