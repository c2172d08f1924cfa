// Runs before the first paint, so that a dark page does not start with a white flash. src/theme/theme.ts has the same key.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('countersign-color-scheme');
  } catch {
    // Without storage the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
