/** The pages' stylesheet: follows the system's light or dark setting and loads nothing from elsewhere. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fdfdfc; --ink: #1f2328; --quiet: #59616b; --line: #e1e4e8; --tint: #f4f5f6;
  --link: #0b57a4; --mark: #fff3bf; --get: #0b6e4f; --post: #0b57a4; --change: #8a4b00; --delete: #b3261e;
  --code: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e3e6e9; --quiet: #9aa4af; --line: #2c3238; --tint: #1c2125;
    --link: #7cb7f5; --mark: #3d3413; --get: #5fd0a3; --post: #7cb7f5; --change: #e8b05a; --delete: #ff8f85;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em; }
a:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre, .path, .method { font-family: var(--code); font-size: .875em; overflow-wrap: anywhere; }
:where(:not(pre)) > code { background: var(--tint); padding: .1em .3em; border-radius: 4px; }
a > code { color: inherit; }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 6px; padding: .75rem 1rem; line-height: 1.5; white-space: pre-wrap; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem; z-index: 1; }
.frame { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem 6rem; }
nav { padding: 1.25rem 0; border-bottom: 1px solid var(--line); font-size: .9375rem; }
nav .brand { font-weight: 650; color: var(--ink); text-decoration: none; }
nav ul { list-style: none; margin: .5rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
nav ul ul { display: none; }
nav a { text-decoration: none; overflow-wrap: anywhere; }
nav a:hover { text-decoration: underline; }
main { min-width: 0; max-width: 46rem; }
h1 { font-size: 1.875rem; line-height: 1.25; margin: 2rem 0 1rem; letter-spacing: -.01em; }
h2 { font-size: 1.375rem; line-height: 1.3; margin: 4rem 0 .5rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.0625rem; line-height: 1.4; margin: 0; }
h4 { font-size: .8125rem; font-weight: 600; color: var(--quiet); margin: 1.25rem 0 .25rem; }
h2 a, h3 a { color: inherit; text-decoration: none; }
h2 a:hover, h3 a:hover { text-decoration: underline; }
p { margin: .5rem 0; }
.quiet { color: var(--quiet); }
.note { font-size: .9375rem; }
article { margin: 2.25rem 0 0; padding-bottom: .25rem; }
article:target > h3 { background: var(--mark); box-shadow: -.4rem 0 var(--mark), .4rem 0 var(--mark); }
.method { font-weight: 700; margin-right: .5em; }
.overview { list-style: none; margin: 1rem 0 0; padding: .5rem 0; border: 1px solid var(--line); border-width: 1px 0; font-size: .9375rem; }
.overview li { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 1.25rem; padding: .1875rem 0; }
.up { position: fixed; right: 1rem; bottom: 1rem; padding: .375rem .75rem; background: var(--paper); border: 1px solid var(--line); border-radius: 999px; font-size: .875rem; text-decoration: none; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--change); } .delete { color: var(--delete); }
dl { margin: .25rem 0 0; border-top: 1px solid var(--line); }
dl > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 0 1.25rem; padding: .5rem 0; border-bottom: 1px solid var(--line); }
dt { overflow-wrap: anywhere; }
dt code { background: none; padding: 0; font-weight: 600; }
dt small code { font-weight: 400; font-size: 1em; }
h3 code { background: none; padding: 0; font-size: .9375em; }
h2 .quiet { font-weight: 400; }
h4 > code { font-size: .9375rem; color: var(--ink); background: none; padding: 0; }
dt small, dd small { display: block; color: var(--quiet); font-size: .8125rem; line-height: 1.45; }
dd { margin: 0; font-size: .9375rem; min-width: 0; overflow-wrap: anywhere; }
dd dl { margin-top: .5rem; }
.codes { list-style: none; padding: 0; margin: .25rem 0 0; font-size: .9375rem; }
.codes li { padding: .125rem 0; }
.status { display: inline-block; min-width: 2.5rem; color: var(--quiet); font-variant-numeric: tabular-nums; }
details > summary { cursor: pointer; color: var(--quiet); font-size: .875rem; }
@media (max-width: 32rem) {
  dl > div, .overview li { grid-template-columns: minmax(0, 1fr); }
  .overview li { padding: .3125rem 0; }
  dt small { display: inline; margin-left: .4em; }
  h1 { font-size: 1.5rem; }
  h2 { margin-top: 3rem; }
}
@media (min-width: 60rem) {
  .up { display: none; }
  .frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 3.5rem; }
  nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; border: 0; padding: 2.25rem 0; font-size: .875rem; }
  nav ul { display: block; }
  nav ul ul { display: block; margin: .125rem 0 0; padding-left: .75rem; border-left: 1px solid var(--line); }
  nav > ul > li { margin: .875rem 0 0; }
  nav > .pages > li { margin: .25rem 0 0; }
  nav > ul:not(.pages) > li > a { font-weight: 600; color: var(--ink); }
  nav li li { padding: .0625rem 0; }
}
@media print {
  nav, .skip, .up { display: none; }
  .frame { display: block; }
  h2, h3, h4, dt { break-after: avoid; }
  dl > div, pre { break-inside: avoid; }
}
`;
