import { readFileSync } from 'node:fs';

import { failures } from '../../model/failure.ts';
import { textPage } from './page.ts';

export interface ErrorPage {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** The section of docs/errors.md without its heading. */
  readonly markdown: string;
}

/** Sections of docs/errors.md by code: `## \`code\`` and the text up to the next one. */
export function readErrorSections(markdown: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of markdown.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = section.split('\n');
    const code = /^`(\w+)`/.exec(heading)?.[1];
    if (code !== undefined) sections.set(code, lines.join('\n').trim());
  }
  return sections;
}

/** Every code with its page; read once, when the service starts. */
export function readErrorPages(): Map<string, ErrorPage> {
  const url = new URL('docs/errors.md', import.meta.resolve('#package.json'));
  const sections = readErrorSections(readFileSync(url, 'utf8'));
  const pages = Object.values(failures).map(({ code, status, title }): [string, ErrorPage] => [
    code,
    { code, status, title, markdown: sections.get(code) ?? '' },
  ]);
  return new Map(pages);
}

export function errorPageHtml({ code, status, title, markdown }: ErrorPage): string {
  return textPage(`\`${code}\``, `${title} (status ${status})`, markdown);
}
