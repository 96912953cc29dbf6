import { cutText } from '../../server/model/cut-text.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import { workbookPart } from './xlsx-package.ts';
import type { WorkbookSettings } from './sheet-look.ts';
import { escapeXml } from './xml-text.ts';
import { readXml } from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

const part = 'docProps/core.xml';

/** Reads title, description and labels of a file as settings of these names. */
export function readProperties(zip: ZipEntries): WorkbookSettings {
  if (!zip.has(part) || workbookPart(zip) === part) return {};
  const texts: Record<string, string> = {};
  let open = '';
  readXml(zip, part, {
    open(name: string, _attributes, depth: number): void {
      open = depth === 2 ? name : '';
    },
    text(text: string): void {
      if (open !== '') texts[open] = (texts[open] ?? '') + text;
    },
    close(): void {
      open = '';
    },
  });
  const title = cutText((texts['title'] ?? '').trim(), limits.titleLength);
  const description = cutText((texts['description'] ?? '').trim(), limits.commentLength);
  const labels = labelsOf(texts['keywords'] ?? '');
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
    ...(labels.length > 0 && { labels }),
  };
}

/** Splits keywords at semicolons, or else at commas. */
function labelsOf(keywords: string): string[] {
  const parts = keywords.split(keywords.includes(';') ? ';' : ',').map((label) => label.trim());
  const labels = parts.filter((label) => label !== '' && label.length <= limits.labelLength);
  return [...new Set(labels)].sort().slice(0, limits.labelCount);
}

export function propertiesPart({ title, description, labels }: WorkbookSettings): string {
  const element = (name: string, value: unknown) =>
    typeof value === 'string' && value !== '' ? `<${name}>${escapeXml(value)}</${name}>` : '';
  const keywords = Array.isArray(labels) ? labels.join(';') : '';
  // A semicolon behind a single label with a comma tells it from two labels.
  const ended = keywords.includes(',') && !keywords.includes(';') ? `${keywords};` : keywords;
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties ' +
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
    'xmlns:dc="http://purl.org/dc/elements/1.1/">' +
    `${element('dc:title', title)}${element('dc:description', description)}` +
    `${element('cp:keywords', ended)}</cp:coreProperties>`
  );
}
