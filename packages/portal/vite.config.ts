import { defineConfig, type UserConfig } from 'vite';

/**
 * How the portal is built: static files for `/portal/`, which run under a strict Content-Security-Policy. So there is no
 * inline script, and nothing is inlined as a `data:` URL.
 */
const configuration: UserConfig = defineConfig({
  base: '/portal/',
  server: {
    // `npm run dev`: everything but the page and its modules is the service's.
    proxy: {
      '^/(?!portal/)|^/portal/auth': process.env['PORTAL_DEV_SERVICE'] ?? 'http://127.0.0.1:8421',
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Mantine marks each of its files for servers that render; here it says nothing.
      onLog: (level, log, show) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') show(level, log);
      },
      output: {
        // What changes seldom stays in the browser's cache over new versions of the portal.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler|wouter|@tanstack)[\\/]/ },
          ],
        },
      },
    },
  },
});

export default configuration;
