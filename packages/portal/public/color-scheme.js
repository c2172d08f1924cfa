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
  const { dataset } = document.documentElement;
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  // src/theme/shell.css draws a frame for all pages but these.
  const isBare = /^\/portal\/(?:sign-in|set-up|forgot-password|reset-password|invitation|step-up)\b/.test(
    location.pathname,
  );
  if (isBare) dataset.shell = 'bare';
})();
