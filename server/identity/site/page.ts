import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; --ink: #1d2321; --paper: #fdfdfb; --soft: #f2f1ec;
  --line: #c9c6bb; --quiet: #5a645f; --accent: #0b6e4f; --on: #fff; --alarm: #a4262c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7e2; --paper: #151917; --soft: #1f2522;
  --line: #46504b; --quiet: #9aa59f; --accent: #5fc9a2; --on: #10231b; --alarm: #ff9a94; } }
* { box-sizing: border-box; }
body { margin: 0; font: 17px/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main { max-width: 44rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline;
  border-bottom: 1px solid var(--line); }
header nav { margin-left: auto; display: flex; flex-wrap: wrap; gap: 0 1rem; min-width: 0;
  align-items: baseline; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
a { color: var(--accent); }
.quiet { color: var(--quiet); } .alarm { color: var(--alarm); }
label { display: block; font-weight: 600; margin-top: 1rem; }
input[type=email], input[type=text] { font: inherit; width: 100%; max-width: 24rem; padding: .5rem;
  border: 1px solid var(--quiet); border-radius: 6px; background: var(--paper); color: inherit; }
button { font: inherit; padding: .45rem 1rem; border-radius: 6px; border: 1px solid var(--accent);
  background: var(--accent); color: var(--on); cursor: pointer; margin: .75rem .5rem 0 0; }
button.plain { background: none; color: var(--alarm); border-color: var(--alarm); }
button.second { background: none; color: var(--ink); border-color: var(--quiet); }
.done { background: var(--soft); border-left: 3px solid var(--accent); padding: .5rem .75rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 15px; }
td, th { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0;
  border-top: 1px solid var(--line); }
td form { display: inline; } td button { margin: 0 .4rem .2rem 0; padding: .15rem .6rem; }
pre { background: var(--soft); padding: .75rem; border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; }
code { font-family: ui-monospace, monospace; }
@media (max-width: 40rem) { thead { display: none; }
  td { display: block; border: 0; padding: .1rem 0; }
  tr { display: block; border-top: 1px solid var(--line); padding: .5rem 0; } }
`;

/** Script that copies the text of the element a button names, and confirms it on the button. */
const script = `
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
  });
}
`;

/** Style and script exactly as a browser gets them: the policy has the hash of each. */
const styleElement = `<style>${style}</style>`;
const scriptElement = `<script>${script}</script>`;

/**
 * Headers of a page: it runs its own style and script only, sends forms to this site only, and is
 * neither framed nor cached.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': `default-src 'none'; style-src ${hashSource(style)}; script-src ${hashSource(script)}; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  // With `no-referrer` browsers would also hide the origin of a form from this site.
  'Referrer-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export const pageType = 'text/html; charset=utf-8';

/** HTML that is written as it is. A template escapes every value that is not marked so. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Markup | string | number | readonly Piece[] | undefined | false;

/** Makes HTML of a template; every value is escaped unless it is Markup itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  const text = parts.map((part, index) => part + pieceText(values[index]));
  return new Markup(text.join(''));
}

function pieceText(piece: Piece): string {
  if (piece === undefined || piece === false) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(pieceText).join('');
  return escapeHtml(String(piece));
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export interface PageFrame {
  readonly title: string;
  /** The signed-in person, and the token that the form for signing out needs. */
  readonly signedIn?: { readonly email: string; readonly formToken: string } | undefined;
}

export function page({ title, signedIn }: PageFrame, body: Markup): string {
  const nav =
    signedIn === undefined
      ? html`<a href="/login">Sign in</a>`
      : html`<span class="quiet">${signedIn.email}</span>
          <form method="post" action="/logout">
            <input type="hidden" name="form_token" value="${signedIn.formToken}" /><button
              class="plain"
            >
              Sign out
            </button>
          </form>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Quire</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        ${new Markup(styleElement)}
      </head>
      <body>
        <header>
          <a href="/agents">Quire</a>
          <nav aria-label="Account">${nav}</nav>
        </header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
        ${new Markup(scriptElement)}
      </body>
    </html> `.text;
}
