// Runs before the first paint, so that a page in the dark does not begin with a white flash. The key and the attribute are
// those of src/theme/color-scheme.ts.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('countersign-color-scheme');
  } catch {
    // Storage may be forbidden; then the system decides.
  }
  const isDark =
    chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
