import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig, type Plugin, type UserConfig } from 'vite';
import { contractPlugin } from './contract-plugin.ts';
import { documentsPlugin } from './documents/plugin.ts';
import { firstPaintPlugin } from './first-paint-plugin.ts';

/** A language has a build of its own: `#messages/` are its texts. See `imports` in `package.json`. */
const language = process.env['PORTAL_LANGUAGE'] ?? 'en';

/** The words of the page that stand in no script. */
const noScript: Readonly<Record<string, string>> = {
  de: 'Das Portal braucht JavaScript. Ohne JavaScript leisten die Management-API und die Kommandozeile dasselbe.',
};

function languagePlugin(): Plugin {
  return {
    name: 'language',
    transformIndexHtml: (html) =>
      html
        .replace('<html lang="en">', `<html lang="${language}">`)
        .replace(/(?<=<noscript\s*>)[^<]+/, (text) => noScript[language] ?? text),
  };
}

const react = fileURLToPath(new URL('react-in-browsers.ts', import.meta.url));

/** Browsers get Preact, and types are React's. */
const withPreact = [
  { find: /^react(?:-dom)?$/, replacement: react },
  { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
  { find: /^react\/jsx-runtime$/, replacement: 'preact/jsx-runtime' },
  { find: /^react\/jsx-dev-runtime$/, replacement: 'preact/jsx-dev-runtime' },
];

/** Builds static files for `/portal/`. The strict Content-Security-Policy allows no inline scripts and no `data:` URLs. */
const configuration: UserConfig = defineConfig({
  base: '/portal/',
  plugins: [contractPlugin(language), documentsPlugin(), firstPaintPlugin(), languagePlugin()],
  resolve: { conditions: [language, ...defaultClientConditions], alias: withPreact },
  server: {
    // `npm run dev`: everything but the page and its modules is the service's.
    proxy: {
      '^/(?!portal/)|^/portal/auth': process.env['PORTAL_DEV_SERVICE'] ?? 'http://127.0.0.1:8421',
    },
  },
  // A worker loads the rules of other profiles only if it needs them.
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // Nearly all of it is Mantine's, which the first page needs: one request instead of one for each part.
    cssCodeSplit: false,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Mantine marks its files with "use client", which means nothing here.
      onLog: (level, log, show) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') show(level, log);
      },
      output: {
        // Libraries change rarely: a chunk of their own stays cached across releases.
        codeSplitting: {
          groups: [
            {
              name: 'react',
              // Only the list of clients makes several queries at once.
              test: /node_modules[\\/](?:preact|wouter|use-sync-external-store|@tanstack)[\\/](?!.*[\\/](?:useQueries|queriesObserver)\.js)|react-in-browsers/,
            },
            // Small parts that most pages share: a request for each would cost more than the parts that a page leaves unused.
            // Highlighted code, the marks of invisible characters and the titles of findings are not small, and forms have none.
            {
              name: 'shared',
              test: /node_modules[\\/](?!@mantine[\\/]core[\\/]esm[\\/]components[\\/](?:Checkbox|Drawer|Menu|PasswordInput|Radio)[\\/](?!CheckIcon|RadioIcon)|@tanstack[\\/])|packages[\\/]portal[\\/]src[\\/](?!components[\\/]form|audit[\\/]audit-facts|code[\\/]|explanation[\\/]|messages[\\/]\w+[\\/](?:finding|sign-in)|pages[\\/]sign-in[\\/])|contract[\\/]src[\\/]limits/,
              minShareCount: 6,
            },
            // Menus of rows are in lists; those of the side bar load when someone opens one.
            { name: 'menu', test: /@mantine[\\/]core[\\/]esm[\\/]components[\\/]Menu[\\/]/ },
            // Each would be a file of a few hundred bytes.
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/, minShareCount: 2 },
            {
              name: 'client',
              test: /portal[\\/]src[\\/]clients[\\/]client-view|contract[\\/]src[\\/]client-labels/,
              minShareCount: 2,
            },
            {
              name: 'keys',
              test: /portal[\\/]src[\\/](?:keys[\\/](?:countdown|rotation-state|share-bar|traffic-share))/,
              minShareCount: 2,
            },
            // Half of the pages have no form.
            {
              name: 'form',
              test: /portal[\\/]src[\\/](?:components[\\/]form|api[\\/]use-conflict-saving)/,
            },
          ],
        },
      },
    },
  },
});

export default configuration;
