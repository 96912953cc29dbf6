import { createHash } from 'node:crypto';

import type { WireInput } from '../../model/input.ts';
import { reconciliationLimits as limits } from './limits.ts';

const style = `
body { margin: 0; padding: .5rem .75rem; font: 14px/1.4 system-ui, sans-serif; color: #1d2321; background: #fdfdfb; }
h1 { font-size: 1rem; margin: 0 0 .4rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: 0; }
dt { color: #5a645f; } dd { margin: 0; overflow-wrap: anywhere; }
`;

/** Nothing runs, nothing is loaded, and the page has no origin; any other page may show it. */
export const previewPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
  'sandbox',
].join('; ');

/** A row as a small page. */
export function previewPage({
  name,
  cells,
}: {
  readonly name: string;
  readonly cells: readonly (readonly [string, WireInput])[];
}): string {
  const filled = cells.filter(([, value]) => value !== null && value !== '');
  const list = filled.map(([title, value]) => `<dt>${shown(title)}</dt><dd>${shown(value)}</dd>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${shown(name)}</title><style>${style}</style></head><body><h1>${shown(name)}</h1><dl>${list.join('')}</dl></body></html>`;
}

function shown(value: WireInput): string {
  const text = typeof value === 'object' && value !== null ? value.error : String(value);
  const most = limits.previewCharacters;
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}

const callbackShape = /^[A-Za-z_$][\w$]{0,99}(?:\.[A-Za-z_$][\w$]{0,99}){0,5}$/u;

export function isCallback(name: string): boolean {
  return callbackShape.test(name);
}

/** JSON as a script that hands it to a function, so that nothing in it ends or begins a script. */
export function scriptOf(callback: string, value: unknown): string {
  const json = JSON.stringify(value).replaceAll(
    /[<>\u2028\u2029]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `/**/${callback}(${json});`;
}
