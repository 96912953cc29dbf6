import t from 'tap';

import { readEmail } from '../../../server/identity/email-address.ts';

t.test('an address has one form: ASCII letters in lower case', async (t) => {
  t.equal(readEmail(' Kate.O+tag@Example.COM '), 'kate.o+tag@example.com');
  t.equal(readEmail('jörg@example.com'), 'jörg@example.com');
  t.equal(
    readEmail("o'neil_1!#$%&*/=?^`{|}~-@a-b.example"),
    "o'neil_1!#$%&*/=?^`{|}~-@a-b.example",
  );
  t.equal(readEmail('a@xn--bcher-kva.example'), 'a@xn--bcher-kva.example');
  t.equal(readEmail('a@b.xn--p1ai'), 'a@b.xn--p1ai');
});

t.test('a local part that Unicode holds for another one is refused', async (t) => {
  const lookalikes = {
    'kelvin sign': '\u212Aate@example.com',
    'angstrom sign': '\u212Bke@example.com',
    'long s': 'je\u017Fs@example.com',
    'capital beyond ASCII': 'J\u00D6RG@example.com',
    'dotted capital i': '\u0130da@example.com',
    'full-width letters': '\uFF4Bate@example.com',
    'a letter and its mark apart': 'jo\u0308rg@example.com',
    ligature: '\uFB01@example.com',
  };
  for (const [what, address] of Object.entries(lookalikes)) {
    t.equal(readEmail(address), undefined, what);
  }
});

t.test('characters that nobody sees, or that turn the direction, are refused', async (t) => {
  const unseen = [
    0x00ad, 0x034f, 0x061c, 0x115f, 0x180e, 0x200b, 0x200d, 0x200e, 0x202a, 0x202e, 0x2060, 0x2066,
    0x2069, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xe0041, 0xe000, 0xd800, 0x0007, 0x00a0, 0x2028,
  ];
  for (const point of unseen) {
    const address = `ka${String.fromCodePoint(point)}te@example.com`;
    t.equal(readEmail(address), undefined, `U+${point.toString(16)}`);
  }
  t.equal(readEmail('\u0301kate@example.com'), undefined, 'a mark without its letter');
});

t.test('a domain is ASCII or punycode', async (t) => {
  for (const domain of [
    'mu\u017Fic.example',
    '\u212Aate.example',
    'bücher.example',
    'example',
    'example.1',
    '-a.example',
    'a-.example',
    'a..example',
    '.example',
    'a.example.',
    'a_b.example',
    `${'a'.repeat(64)}.example`,
    '[127.0.0.1]',
    '127.0.0.1',
  ]) {
    t.equal(readEmail(`kate@${domain}`), undefined, domain);
  }
});

t.test('what is no single address is refused', async (t) => {
  for (const text of [
    '',
    'kate',
    '@example.com',
    'kate@',
    'a@b@example.com',
    'a b@example.com',
    'a@example.com,b@example.com',
    'a@example.com\r\nBcc: b@example.com',
    '"a"@example.com',
    'a.@example.com',
    '.a@example.com',
    'a..b@example.com',
    '<a@example.com>',
    `${'a'.repeat(65)}@example.com`,
  ]) {
    t.equal(readEmail(text), undefined, JSON.stringify(text));
  }
});
