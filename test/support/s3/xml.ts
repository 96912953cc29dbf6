import type { S3Error } from './s3-error.ts';

export type XmlValue = string | number | boolean | XmlElement | readonly XmlElement[];

export interface XmlElement {
  readonly [name: string]: XmlValue | undefined;
}

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** A whole document; a list of elements is written as one element each. */
export function xmlDocument(root: string, element: XmlElement): string {
  return `${declaration}<${root} xmlns="${namespace}">${inner(element)}</${root}>`;
}

export function errorDocument(
  error: S3Error,
  { resource, requestId }: { resource: string; requestId: string },
): string {
  const { code, message, extra } = error;
  const element = { Code: code, Message: message, ...extra, Resource: resource };
  return `${declaration}<Error>${inner({ ...element, RequestId: requestId, HostId: 'test' })}</Error>`;
}

function inner(element: XmlElement): string {
  return Object.entries(element)
    .map(([name, value]) => (value === undefined ? '' : written(name, value)))
    .join('');
}

function written(name: string, value: XmlValue): string {
  if (Array.isArray(value)) {
    return value.map((one: XmlElement) => `<${name}>${inner(one)}</${name}>`).join('');
  }
  const content = typeof value === 'object' ? inner(value as XmlElement) : escapeXml(String(value));
  return `<${name}>${content}</${name}>`;
}

export function escapeXml(text: string): string {
  return text.replace(/[&<>"'\u0000-\u001f]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function unescapeXml(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return text.replace(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, entity: string) => {
    if (entity.startsWith('#x')) return String.fromCodePoint(Number.parseInt(entity.slice(2), 16));
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1)));
    return entity === 'apos' ? "'" : (named[entity] ?? whole);
  });
}
