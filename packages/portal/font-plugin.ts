import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const latin = /inter-latin-wght-normal.*\.woff2$/;

/**
 * Makes the page load the Latin font along with its style sheet instead of after it, and adds the font's license, which
 * must accompany the files (SIL Open Font License, condition 2).
 */
export function fontPlugin(): Plugin {
  return {
    name: 'font',
    apply: 'build',
    buildStart() {
      const path = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/LICENSE'));
      this.emitFile({ type: 'asset', fileName: 'inter-license.txt', source: readFileSync(path) });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => latin.test(name));
        if (file === undefined) throw new Error('The build has no Latin font to preload.');
        // Fonts are always requested without credentials: without `crossorigin` it would be loaded twice.
        const attrs = {
          rel: 'preload',
          as: 'font',
          type: 'font/woff2',
          href: `/portal/${file}`,
          crossorigin: '',
        };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}
