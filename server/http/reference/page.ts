import { createHash } from 'node:crypto';

import { escapeHtml, inline, markdownToHtml } from './markdown.ts';

const style = `
:root { color-scheme: light dark; --ink: #1d2321; --paper: #fdfdfb; --soft: #f2f1ec;
  --line: #dddbd2; --quiet: #65706b; --accent: #0b6e4f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7e2; --paper: #151917; --soft: #1f2522;
  --line: #343c38; --quiet: #9aa59f; --accent: #5fc9a2; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
code, pre { font: 13.5px/1.55 ui-monospace, monospace; }
:not(pre) > code { background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px;
  padding: .8rem 1rem; margin: .4rem 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: .25rem 0; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
details > details { margin-left: 1rem; }
.kinds > details { border-top: 1px solid var(--line); }
input[type=search] { font: inherit; width: 100%; padding: .45rem .6rem; margin-bottom: .5rem;
  border: 1px solid var(--quiet); border-radius: 6px; background: var(--paper); color: inherit; }
.hidden { display: none; }
.page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 78rem;
  margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem;
  border-right: 1px solid var(--line); font-size: 14px; }
nav h2 { font-size: 12px; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet);
  margin: 1.2rem 0 .3rem; }
nav > details > summary { display: none; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .3rem; color: inherit; text-decoration: none; }
nav a:hover { background: var(--soft); border-radius: 4px; }
main { padding: 2rem 2.5rem 6rem; min-width: 0; }
main.narrow { max-width: 46rem; margin: 0 auto; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
main h2 { margin: 3rem 0 .5rem; font-size: 1.4rem; border-bottom: 1px solid var(--line); }
article { padding: 1.2rem 0 .5rem; border-bottom: 1px solid var(--line); }
article h3 { margin: 0; font-size: 1.05rem; }
article h4 { margin: .8rem 0 .2rem; font-size: .85rem; color: var(--quiet); }
.way { font: 600 14px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; margin: .2rem 0 .5rem; }
.method { color: var(--accent); display: inline-block; min-width: 3.8em; }
.scope { font: 12px ui-monospace, monospace; color: var(--quiet); border: 1px solid var(--line);
  border-radius: 99px; padding: .1em .6em; margin-left: .5em; white-space: nowrap; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
td, th { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0;
  border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
@media (max-width: 56rem) { .page { display: block; } nav { position: static; height: auto;
  border-right: 0; border-bottom: 1px solid var(--line); padding: .75rem 1rem;
  background: var(--paper); } nav > details > summary { display: block; }
  main { padding: 1.5rem 1rem 4rem; }
  td { display: block; border: 0; padding: .1rem 0; }
  tr { display: block; border-top: 1px solid var(--line); padding: .4rem 0; } }
`;

/**
 * The search of the reference: routes and kinds without one of the words are hidden. On a narrow
 * screen the menu is closed at first; a link to something that is folded away unfolds it.
 */
const script = `
const field = document.querySelector('input[type=search]');
const entries = [...document.querySelectorAll('[data-text]')];
const items = new Map([...document.querySelectorAll('nav li a')].map((a) => [a.hash.slice(1), a.parentElement]));
const none = document.getElementById('none');
function search() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let count = 0;
  for (const entry of entries) {
    const fits = words.every((word) => entry.dataset.text.includes(word));
    const kinds = [...entry.querySelectorAll('[data-kind]')];
    const some = kinds.filter((kind) => words.every((word) => kind.dataset.kind.includes(word)));
    const shown = fits || some.length > 0;
    entry.classList.toggle('hidden', !shown);
    items.get(entry.id)?.classList.toggle('hidden', !shown);
    for (const kind of kinds) kind.classList.toggle('hidden', !fits && !some.includes(kind));
    if (shown) count += 1;
  }
  for (const part of document.querySelectorAll('main section, nav .part')) {
    part.classList.toggle('hidden', !part.querySelector('[data-text]:not(.hidden), li:not(.hidden)'));
  }
  none.classList.toggle('hidden', count > 0);
}
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target?.scrollIntoView();
}
if (field) {
  field.addEventListener('input', search);
  addEventListener('hashchange', unfold);
  if (matchMedia('(max-width: 56rem)').matches) document.querySelector('nav > details').open = false;
  document.querySelector('nav').addEventListener('click', (event) => {
    if (event.target.tagName === 'A' && matchMedia('(max-width: 56rem)').matches)
      document.querySelector('nav > details').open = false;
  });
  if (location.hash) unfold();
}
`;

/** For pages made here: their own style and script, and nothing from anywhere else. */
export const pagePolicy = `default-src 'none'; style-src ${hashSource(style)}; script-src ${hashSource(script)}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export const pageType = 'text/html; charset=utf-8';

export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
${body}
<script>${script}</script>
</body>
</html>
`;
}

/** A page of running text, such as that of one error code. */
export function textPage(title: string, lead: string, markdown: string): string {
  const body = `<main class="narrow">
<p><a href="/docs">Quire</a></p>
<h1>${inline(title)}</h1>
<p class="quiet">${inline(lead)}</p>
${markdownToHtml(markdown)}
</main>`;
  return htmlPage(title.replaceAll('`', ''), body);
}
