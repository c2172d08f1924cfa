import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HtmlTagDescriptor, Plugin } from 'vite';

const latinFont = /inter-latin-wght-normal.*\.woff2$/;
const shell = 'src/theme/shell.css';
const styleSheet = /\s*<link rel="stylesheet"[^>]*>/;

/**
 * Makes the page show its frame before its style sheet and scripts have arrived, and load the Latin font along with them.
 * Adds the font's license, which must accompany the files (SIL Open Font License, condition 2).
 */
export function firstPaintPlugin(): Plugin {
  return {
    name: 'first-paint',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      const license = fileURLToPath(import.meta.resolve('@fontsource-variable/inter/LICENSE'));
      this.emitFile({ type: 'asset', fileName: 'inter-license.txt', source: readFileSync(license) });
      const source = readFileSync(new URL(shell, import.meta.url));
      this.emitFile({ type: 'asset', name: 'shell.css', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle }) {
        if (bundle === undefined) return [styleTag(shell)];
        const fileOf = (pattern: RegExp): string => {
          const file = Object.keys(bundle).find((name) => pattern.test(name));
          if (file === undefined) throw new Error(`The build has no file for ${pattern.source}.`);
          return file;
        };
        const [style = ''] = styleSheet.exec(html) ?? [];
        return {
          // At the end it holds up the scripts, but not the frame.
          html: html.replace(style, '').replace('</body>', `${style.trim()}\n  </body>`),
          tags: [styleTag(fileOf(/shell-[^/]*\.css$/)), fontTag(fileOf(latinFont))],
        };
      },
    },
  };
}

function styleTag(file: string): HtmlTagDescriptor {
  return { tag: 'link', attrs: { rel: 'stylesheet', href: `/portal/${file}` }, injectTo: 'head' };
}

/** Browsers request fonts without credentials: without `crossorigin` it would be loaded twice. */
function fontTag(file: string): HtmlTagDescriptor {
  const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/portal/${file}`, crossorigin: '' };
  return { tag: 'link', attrs, injectTo: 'head' };
}
