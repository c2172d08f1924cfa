import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import { temporaryFolder } from '@countersign/testing/temporary-folder';
import { loadConfiguration } from '../../src/configuration/load-at-once.ts';

/* The provider's logo and accent colour: what the settings accept. */

const root = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">';
const svg = (content: string): string => `${root}${content}</svg>`;
const goodSvg = svg('<path d="M1 1h30v30H1z" fill="url(#a)"/><use href="#b"/>');

/** A PNG of one colour. Checksums don't matter to a header's reader. */
function png(width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function mistakeOf(t: TestContext, content: string | Buffer): string {
  const file = join(temporaryFolder(t), 'logo');
  writeFileSync(file, content);
  try {
    loadConfiguration({ COUNTERSIGN_LOGO_FILE: file });
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('a logo is rejected at the start', () => {
  const hostile: Readonly<Record<string, string>> = {
    script: svg('<script>alert(1)</script>'),
    'script in capitals': svg('<SCRIPT>alert(1)</SCRIPT>'),
    'script with a prefix': svg('<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>'),
    'event handler': svg('<path onclick="alert(1)"/>'),
    'event handler of the root': `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload = 'alert(1)'></svg>`,
    'event handler after a slash': svg('<path/onmouseover="alert(1)"/>'),
    foreignObject: svg('<foreignObject><p/></foreignObject>'),
    'javascript: link': svg('<a href="javascript:alert(1)"><path/></a>'),
    'javascript: link, hidden': svg('<a href="&#106;avascript&#58;alert(1)"><path/></a>'),
    'link to another site': svg('<image href="https://evil.example/a.png"/>'),
    'old link to another site': svg('<image xlink:href="//evil.example/a.png"/>'),
    'embedded SVG': svg('<image href="data:image/svg+xml,%3Csvg/%3E"/>'),
    'animated link': svg('<animate attributeName="href" values="javascript:alert(1)"/>'),
    'style of another site': svg('<style>@import "https://evil.example/a.css";</style>'),
    'image of a style': svg('<path style="fill: url( https://evil.example/a )"/>'),
    'style sheet instruction': `<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/a.css"?>${goodSvg}`,
    DOCTYPE: `<!DOCTYPE svg [<!ENTITY a "b">]>${goodSvg}`,
    'HTML before it': `<html>${goodSvg}</html>`,
    'HTML with an SVG': '<!doctype html><svg></svg>',
    'no namespace': '<svg viewBox="0 0 9 9"></svg>',
    'not closed': root,
    'no size': '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    'size of nothing': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 0 9"></svg>',
    'a line': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 9"></svg>',
  };
  for (const [name, content] of Object.entries(hostile)) {
    it(`as an SVG: ${name}`, (t) => {
      const mistake = mistakeOf(t, content);
      assert.match(mistake, /COUNTERSIGN_LOGO_FILE: \/\S+ (?:must|is not|has no)/);
      assert.doesNotMatch(mistake, /evil|alert/);
    });
  }

  const others: Readonly<Record<string, readonly [content: string | Buffer, mistake: RegExp]>> = {
    'empty file': ['', /must be a PNG or SVG file/],
    text: ['Our logo', /must be a PNG or SVG file/],
    JPEG: [Buffer.from('ffd8ffe000104a464946', 'hex'), /must be a PNG or SVG file/],
    GIF: [Buffer.from('GIF89a'), /must be a PNG or SVG file/],
    'UTF-16': [Buffer.from(goodSvg, 'utf16le'), /must be a PNG or SVG file/],
    'part of a PNG': [png(10, 10).subarray(0, 40), /is not a complete PNG/],
    'signature of a PNG': [png(10, 10).subarray(0, 8), /is not a complete PNG/],
    'PNG without pixels': [png(0, 10), /pixels/],
    'PNG with a billion pixels': [png(40_000, 30_000), /at most 4096 pixels/],
    'too large': [svg(' '.repeat(262_144)), /must have at most 256 KiB/],
  };
  for (const [name, [content, expected]] of Object.entries(others)) {
    it(`as ${name}`, (t) => assert.match(mistakeOf(t, content), expected));
  }

  it('if there is no such file, with every other mistake', (t) => {
    const folder = temporaryFolder(t);
    mkdirSync(join(folder, 'folder'));
    assert.throws(
      () =>
        loadConfiguration({
          COUNTERSIGN_LOGO_FILE: join(folder, 'none.svg'),
          COUNTERSIGN_DARK_LOGO_FILE: join(folder, 'folder'),
          COUNTERSIGN_ACCENT_COLOR: 'teal',
        }),
      ({ message }: Error) =>
        /LOGO_FILE: \S+none\.svg cannot be read \(ENOENT\)/.test(message) &&
        /DARK_LOGO_FILE: \S+folder must be a file/.test(message) &&
        /ACCENT_COLOR: must be a color of six hexadecimal digits/.test(message),
    );
  });

  it('if it is for dark backgrounds alone', (t) => {
    const file = join(temporaryFolder(t), 'logo.svg');
    writeFileSync(file, goodSvg);
    assert.throws(
      () => loadConfiguration({ COUNTERSIGN_DARK_LOGO_FILE: file }),
      /needs COUNTERSIGN_LOGO_FILE/,
    );
  });
});

describe('a logo is accepted', () => {
  const good: Readonly<Record<string, string | Buffer>> = {
    'an SVG': goodSvg,
    'an SVG as editors write it': `\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- made by hand -->\n${svg('<metadata/>')}\n`,
    'an SVG with an embedded PNG': svg('<image href="data:image/png;base64,AAAA"/>'),
    'an SVG with a width and height':
      '<svg xmlns="http://www.w3.org/2000/svg" width="40px" height="20"><g/></svg>',
    'a PNG': png(64, 32),
  };
  for (const [name, content] of Object.entries(good)) {
    it(`that is ${name}`, (t) => assert.equal(mistakeOf(t, content), ''));
  }
});

for (const color of [
  '',
  '#fff',
  '0a7c66',
  '#0a7c66ff',
  'red',
  '#0a7c6g',
  'url(#a)',
  '#0a7c66;}*{color:red',
]) {
  it(`the accent color ${JSON.stringify(color)} is rejected`, () => {
    assert.throws(
      () => loadConfiguration({ COUNTERSIGN_ACCENT_COLOR: color }),
      /COUNTERSIGN_ACCENT_COLOR: must be/,
    );
  });
}
