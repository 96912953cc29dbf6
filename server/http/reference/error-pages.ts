import { readFileSync } from 'node:fs';

import { failures } from '../../model/failure.ts';
import { rejections } from '../../model/rejection.ts';
import { textPage } from './page.ts';

export interface ErrorPage {
  readonly code: string;
  /** The status of the answer; undefined for what is said of one operation of a submission. */
  readonly status: number | undefined;
  readonly title: string;
  /** The section of docs/errors.md or docs/rejections.md without its heading. */
  readonly markdown: string;
}

/** Sections of a page of codes: `## \`code\`` and the text up to the next one. */
export function readErrorSections(markdown: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of markdown.split(/^## /m).slice(1)) {
    const [heading = '', ...lines] = section.split('\n');
    const code = /^`(\w+)`/.exec(heading)?.[1];
    if (code !== undefined) sections.set(code, lines.join('\n').trim());
  }
  return sections;
}

let known: ReadonlyMap<string, ErrorPage> | undefined;

/**
 * Returns each code with its page; read once in a process. A code that answers requests and rejects
 * operations too has the page of both.
 */
export function readErrorPages(): ReadonlyMap<string, ErrorPage> {
  return (known ??= madePages());
}

function madePages(): Map<string, ErrorPage> {
  const ofErrors = readSections('docs/errors.md');
  const ofRejections = readSections('docs/rejections.md');
  const pages = new Map<string, ErrorPage>();
  for (const { code, status, title } of Object.values(failures)) {
    const markdown = [ofErrors.get(code), ofRejections.get(code)].filter(Boolean).join('\n\n');
    pages.set(code, { code, status, title, markdown });
  }
  for (const code of Object.keys(rejections)) {
    const markdown = ofRejections.get(code) ?? '';
    if (!pages.has(code)) pages.set(code, { code, status: undefined, title: rejected, markdown });
  }
  return pages;
}

const rejected = 'Why an operation was rejected';

function readSections(path: string): Map<string, string> {
  return readErrorSections(
    readFileSync(new URL(path, import.meta.resolve('#package.json')), 'utf8'),
  );
}

export function errorPageHtml({ code, status, title, markdown }: ErrorPage): string {
  const lead = status === undefined ? title : `${title} (status ${status})`;
  return textPage(`\`${code}\``, lead, markdown);
}
