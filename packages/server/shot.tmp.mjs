import { chromium } from 'playwright-core';
import { writeFileSync } from 'node:fs';
const { openApiDocument } = await import('@countersign/contract');
const { apiPage } = await import('./src/reference/api-page.ts');
const { errorsPage } = await import('./src/reference/errors-page.ts');
const d = openApiDocument({ serverUrls: ['https://api.example.com'] });
writeFileSync('/tmp/docs.html', apiPage(d));
writeFileSync('/tmp/errors.html', errorsPage());
const b = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
  headless: true,
});
for (const [name, file, width, scheme, hash] of [
  ['docs-light', 'docs', 1280, 'light', ''],
  ['docs-dark', 'docs', 1280, 'dark', '#addClient'],
  ['docs-360', 'docs', 360, 'light', ''],
  ['docs-360b', 'docs', 360, 'dark', '#addKey'],
  ['docs-schema', 'docs', 1280, 'light', '#schema-KeyInspection'],
  ['errors', 'errors', 1280, 'light', '#created_expired'],
  ['errors-360', 'errors', 360, 'dark', ''],
]) {
  const p = await b.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  await p.goto(`file:///tmp/${file}.html${hash}`);
  await p.screenshot({ path: `/tmp/${name}.png` });
  console.log(
    name,
    await p.evaluate(() => [
      document.documentElement.scrollWidth,
      innerWidth,
      document.documentElement.scrollHeight,
    ]),
  );
  await p.close();
}
await b.close();
