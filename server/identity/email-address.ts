import { foldName } from '../model/names.ts';

const lengthMost = 254;
const localLengthMost = 64;
/** One address and nothing around it: what goes into a header must not be able to end it. */
const shape = /^[^\s@<>()[\]\\,;:"\p{Cc}]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]{2,63}$/iu;
const plainNamespace = /[^a-z0-9-]+/g;
const namespaceLength = 40;

export interface EmailAddress {
  /** As it was given: where letters go. */
  readonly sent: string;
  /** By which an account is found. */
  readonly folded: string;
}

export function readEmail(text: string): EmailAddress | undefined {
  const sent = text.trim();
  const [local = '', domain = ''] = sent.split('@');
  const fits = sent.length <= lengthMost && local.length <= localLengthMost;
  if (!fits || !shape.test(sent) || domain.includes('..') || local.includes('..')) return undefined;
  if (local.startsWith('.') || local.endsWith('.')) return undefined;
  return { sent, folded: sent.normalize('NFC').toLowerCase() };
}

/** What others are shown of an address: `a***@b.example`. */
export function maskEmail(email: string): string {
  const [local = '', domain = ''] = email.split('@');
  return `${/^./u.exec(local)?.[0] ?? ''}***@${domain}`;
}

/** A first choice for the namespace of a new person; the caller sees to it that it is free. */
export function namespaceOf(email: string): string {
  const [local = ''] = foldName(email).split('@');
  const plain = local
    .toLowerCase()
    .replaceAll(plainNamespace, '-')
    .slice(0, namespaceLength)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'person' : plain;
}
