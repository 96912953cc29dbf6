import { foldName } from '../model/names.ts';

const lengthMost = 254;
const localLengthMost = 64;
const labelLengthMost = 63;
/** Local part of an address; a quoted one and a comment are refused. */
const local = /^[^\s@<>()[\]\\,;:"]+$/u;
/**
 * Invisible characters, those that change the direction of text and unassigned ones: with one of
 * them two addresses can look alike (Unicode TR36, 2.9).
 */
const unseen = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]|^\p{M}/u;
/** One label of a domain (RFC 1035, 2.3.1, and the digits of RFC 1123): ASCII or punycode. */
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const topLabel = /^(?:[a-z]{2,}|xn--[a-z0-9-]+)$/;
const plainNamespace = /[^a-z0-9-]+/g;
const namespaceLength = 40;

/**
 * Reads an address in the one form by which accounts are found and letters are sent: ASCII letters
 * become lower case, nothing else changes. Undefined when the text is no address, or when Unicode
 * treats its local part as equal to another one: the owner of that other mailbox would get the
 * account.
 */
export function readEmail(text: string): string | undefined {
  const address = asciiLowerCase(text.trim());
  const parts = address.split('@');
  const [name = '', domain = ''] = parts;
  if (parts.length !== 2 || address.length > lengthMost) return undefined;
  return isLocalPart(name) && isDomain(domain) ? address : undefined;
}

function isLocalPart(text: string): boolean {
  if (text.length > localLengthMost || !local.test(text) || unseen.test(text)) return false;
  if (text.startsWith('.') || text.endsWith('.') || text.includes('..')) return false;
  return text === text.normalize('NFKC').toLowerCase();
}

function isDomain(text: string): boolean {
  const labels = text.split('.');
  if (labels.length < 2 || !topLabel.test(labels.at(-1) ?? '')) return false;
  return labels.every((one) => one.length <= labelLengthMost && label.test(one));
}

function asciiLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** Returns an address as other people see it: `a***@b.example`. */
export function maskEmail(email: string): string {
  const [name = '', domain = ''] = email.split('@');
  return `${/^./u.exec(name)?.[0] ?? ''}***@${domain}`;
}

/** Proposes a namespace for a new person; the caller makes sure that it is free. */
export function namespaceOf(email: string): string {
  const [name = ''] = foldName(email).split('@');
  const plain = name
    .toLowerCase()
    .replaceAll(plainNamespace, '-')
    .slice(0, namespaceLength)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'person' : plain;
}
