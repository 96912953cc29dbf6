// Long because every case of the suite is a row here.
import t from 'tap';

import { Book } from '../support/book.ts';
import { acceptOf, encodeFrame, RawSocket, type RawFrame } from '../support/raw-socket.ts';
import { TestService } from '../support/test-service.ts';

// After the groups of the Autobahn test suite: what RFC 6455 asks of a server, case by case.

const text = 1;
const binary = 2;
const close = 8;
const ping = 9;
const pong = 10;

/** A sign of life of so many bytes: its acknowledgement says that all before it was understood. */
function life(submission: string, byteCount = 0): string {
  const bare = JSON.stringify({ kind: 'submit_ops', submission, ops: [], pad: '' });
  const pad = 'x'.repeat(Math.max(0, byteCount - Buffer.byteLength(bare)));
  return JSON.stringify({ kind: 'submit_ops', submission, ops: [], pad });
}

const digits = Array.from('0123456789');
const hello = JSON.stringify({ kind: 'hello', protocol: 1, lastSeq: null });

interface Case {
  readonly name: string;
  /** Frames, or bytes as they are. */
  readonly sent: readonly (RawFrame | Buffer)[];
  /** Written in so many pieces. */
  readonly pieces?: number;
  /** It goes on; left out, the connection ends. */
  readonly answers?: string;
  readonly pongs?: readonly string[];
  /** How it ends; `any` where a goodbye may come or not. */
  readonly code?: number | 'any';
}

const split = (payload: Uint8Array | string, ...ends: number[]): RawFrame[] => {
  const bytes = Buffer.from(payload as string);
  const stops = [0, ...ends, bytes.length];
  return stops.slice(1).map((end, at) => ({
    opcode: at === 0 ? text : 0,
    fin: at === stops.length - 2,
    payload: bytes.subarray(stops[at], end),
  }));
};

const submission = Buffer.from(life('κόσμε-\u{10ffff}'));
const bytesOf = (...bytes: number[]): Buffer => Buffer.from(bytes);

function withBytes(inner: Buffer): Buffer {
  const [before = '', after = ''] = life('@').split('@');
  return Buffer.concat([Buffer.from(before), inner, Buffer.from(after)]);
}

const framing: Case[] = [
  ...[125, 126, 127, 128, 65_535, 65_536, 1 << 20].map((size) => ({
    name: `a text of ${size} bytes`,
    sent: [{ opcode: text, payload: life('a', size) }],
    answers: 'a',
  })),
  {
    name: 'a text in single bytes',
    sent: [{ opcode: text, payload: life('a', 125) }],
    pieces: 200,
    answers: 'a',
  },
  {
    name: 'a long text in packets of any size',
    sent: [{ opcode: text, payload: life('a', 70_000) }],
    pieces: 71,
    answers: 'a',
  },
  { name: 'a text of no bytes', sent: [{ opcode: text }], code: 4400 },
  {
    name: 'two texts in one packet',
    sent: [
      { opcode: text, payload: life('a') },
      { opcode: text, payload: life('b') },
    ],
    answers: 'b',
  },
  {
    name: 'a binary frame where texts are spoken',
    sent: [{ opcode: binary, payload: life('a') }],
    code: 4400,
  },
  {
    // Its first bytes are taken for the mask, so that the end shows with what follows.
    name: 'a frame that is not masked, and another one',
    sent: [
      { opcode: text, payload: life('a'), isMasked: false },
      { opcode: text, payload: life('b') },
    ],
    code: 'any',
  },
  {
    name: 'a length with its highest bit',
    sent: [Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5])],
  },
];

const pings: Case[] = [
  { name: 'a ping without anything', sent: [{ opcode: ping }], pongs: [''], answers: '' },
  {
    name: 'a ping with a text',
    sent: [{ opcode: ping, payload: 'hello' }],
    pongs: ['hello'],
    answers: '',
  },
  {
    name: 'a ping with any bytes',
    sent: [{ opcode: ping, payload: bytesOf(0, 255, 254, 253) }],
    pongs: ['\0\u00ff\u00fe\u00fd'],
    answers: '',
  },
  {
    name: 'a ping of 125 bytes',
    sent: [{ opcode: ping, payload: 'p'.repeat(125) }],
    pongs: ['p'.repeat(125)],
    answers: '',
  },
  { name: 'a ping of 126 bytes', sent: [{ opcode: ping, payload: 'p'.repeat(126) }] },
  {
    name: 'a ping in single bytes',
    sent: [{ opcode: ping, payload: 'p'.repeat(125) }],
    pieces: 140,
    pongs: ['p'.repeat(125)],
    answers: '',
  },
  {
    name: 'a pong that nobody asked for',
    sent: [{ opcode: pong, payload: 'x' }],
    pongs: [],
    answers: '',
  },
  {
    name: 'a pong and a ping',
    sent: [
      { opcode: pong, payload: 'x' },
      { opcode: ping, payload: 'y' },
    ],
    pongs: ['y'],
    answers: '',
  },
  {
    name: 'ten pings',
    sent: digits.map((payload) => ({ opcode: ping, payload })),
    pongs: digits,
    answers: '',
  },
  { name: 'a ping in fragments', sent: [{ opcode: ping, fin: false, payload: 'x' }] },
];

const reserved: Case[] = [1, 2, 4, 3, 5, 6, 7].flatMap((bits): Case[] => [
  {
    name: `reserved bits ${bits} on a text`,
    sent: [{ opcode: text, payload: life('a'), reserved: bits }],
  },
  {
    name: `reserved bits ${bits} on a ping`,
    sent: [{ opcode: ping, payload: 'x', reserved: bits }],
  },
]);

const opcodes: Case[] = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].flatMap((opcode): Case[] => [
  { name: `opcode ${opcode}`, sent: [{ opcode }] },
  { name: `opcode ${opcode} with a payload`, sent: [{ opcode, payload: 'x' }] },
]);

const fragments: Case[] = [
  { name: 'a text in two fragments', sent: split(life('a'), 9), answers: 'a' },
  {
    name: 'a text in three fragments, one of them empty',
    sent: split(life('a'), 9, 9),
    answers: 'a',
  },
  {
    name: 'a text in fragments of a byte',
    sent: split(life('a'), ...Array.from({ length: life('a').length - 1 }, (_, at) => at + 1)),
    answers: 'a',
  },
  {
    name: 'a ping between fragments',
    sent: [
      ...split(life('a'), 9).slice(0, 1),
      { opcode: ping, payload: 'x' },
      ...split(life('a'), 9).slice(1),
    ],
    pongs: ['x'],
    answers: 'a',
  },
  { name: 'a pong in fragments', sent: [{ opcode: pong, fin: false }, { opcode: 0 }] },
  { name: 'a continuation of nothing', sent: [{ opcode: 0, payload: life('a') }] },
  {
    name: 'a continuation of nothing that goes on',
    sent: [{ opcode: 0, fin: false, payload: life('a') }],
  },
  {
    name: 'a continuation behind a whole text',
    sent: [
      { opcode: text, payload: life('a') },
      { opcode: 0, payload: 'x' },
    ],
  },
  {
    name: 'a text within a text',
    sent: [...split(life('a'), 9).slice(0, 1), { opcode: text, payload: life('b') }],
  },
  {
    name: 'fragments that together are a mebibyte',
    sent: split(life('a', 1 << 20), 300_000, 700_000),
    answers: 'a',
  },
  {
    name: 'fragments that together are too much',
    sent: split(life('a', (1 << 20) + 1), 600_000),
    code: 1009,
  },
  {
    name: 'fragments that are far too much',
    sent: split(life('a', 3 << 20), 1 << 20, 2 << 20),
    code: 'any',
  },
];

const invalid: [string, Buffer][] = [
  ['a byte that is none', bytesOf(0xff)],
  ['a continuation alone', bytesOf(0x80)],
  ['an overlong slash', bytesOf(0xc0, 0xaf)],
  ['an overlong zero of three bytes', bytesOf(0xe0, 0x80, 0x80)],
  ['half of a pair', bytesOf(0xed, 0xa0, 0x80)],
  ['a pair in UTF-8', bytesOf(0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80)],
  ['what is beyond Unicode', bytesOf(0xf4, 0x90, 0x80, 0x80)],
  ['five bytes', bytesOf(0xf8, 0x88, 0x80, 0x80, 0x80)],
  ['a character that is cut off', bytesOf(0xe2, 0x82)],
];

const utf8: Case[] = [
  {
    name: 'characters of all lengths',
    sent: [{ opcode: text, payload: submission }],
    answers: 'κόσμε-\u{10ffff}',
  },
  {
    name: 'characters in two fragments',
    sent: split(submission, 47, 48),
    answers: 'κόσμε-\u{10ffff}',
  },
  ...Array.from({ length: 4 }, (_, at) => ({
    name: `characters split at ${43 + at}`,
    sent: split(submission, 43 + at),
    answers: 'κόσμε-\u{10ffff}',
  })),
  ...invalid.map(([name, bytes]) => ({
    name,
    sent: [{ opcode: text, payload: withBytes(bytes) }],
    code: 'any' as const,
  })),
  {
    name: 'a wrong byte in the second fragment',
    sent: split(withBytes(bytesOf(0xff)), 20),
    code: 'any',
  },
];

const codeOf = (code: number, reason: Buffer | string = ''): Buffer => {
  const bytes = Buffer.from(reason as string);
  return Buffer.concat([bytesOf(code >> 8, code & 255), bytes]);
};

const closes: Case[] = [
  { name: 'a goodbye without a code', sent: [{ opcode: close }], code: 'any' },
  ...[1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999].map((code) => ({
    name: `a goodbye with ${code}`,
    sent: [{ opcode: close, payload: codeOf(code, 'bye') }],
    code: 'any' as const,
  })),
  {
    name: 'a goodbye with a long reason',
    sent: [{ opcode: close, payload: codeOf(1000, 'r'.repeat(123)) }],
    code: 'any',
  },
  {
    name: 'a goodbye with too long a reason',
    sent: [{ opcode: close, payload: codeOf(1000, 'r'.repeat(124)) }],
  },
  { name: 'half a code', sent: [{ opcode: close, payload: bytesOf(3) }], code: 'any' },
  ...[0, 999, 1004, 1005, 1006, 1015, 2999, 5000, 65_535].map((code) => ({
    name: `the code ${code}, which is none to send`,
    sent: [{ opcode: close, payload: codeOf(code) }],
    code: 'any' as const,
  })),
  {
    name: 'a reason that is no text',
    sent: [{ opcode: close, payload: codeOf(1000, bytesOf(0xff)) }],
    code: 'any',
  },
  {
    name: 'a text behind a goodbye',
    sent: [
      { opcode: close, payload: codeOf(1000) },
      { opcode: text, payload: life('late') },
    ],
    code: 'any',
  },
  {
    name: 'a goodbye in fragments',
    sent: [{ opcode: close, fin: false, payload: codeOf(1000) }],
    code: 'any',
  },
];

const service = await TestService.start(t);
const book = await Book.create(service);

async function greeted(): Promise<RawSocket> {
  const socket = await RawSocket.open(book);
  await socket.send({ opcode: text, payload: hello });
  await socket.until(() => socket.messages.length > 0);
  return socket;
}

function acknowledged({ messages }: RawSocket, name: string): boolean {
  return messages.some(({ kind, submission: told }) => kind === 'ack' && told === name);
}

async function run(test: Case): Promise<string | undefined> {
  const socket = await greeted();
  const { sent, pieces, answers, pongs, code } = test;
  const bytes = sent.map((one) => (Buffer.isBuffer(one) ? one : encodeFrame(one)));
  await socket.write(Buffer.concat(bytes), pieces);
  try {
    if (answers === undefined) {
      await socket.until(() => socket.isEnded);
      const told = socket.closeCode;
      if (code !== 'any' && code !== undefined && told !== code) return `it ended with ${told}`;
      return acknowledged(socket, 'late') ? 'it was heard behind the goodbye' : undefined;
    }
    // A frame that was understood is answered, and so is whatever comes behind it.
    await socket.send({ opcode: text, payload: life('behind') });
    await socket.until(() => acknowledged(socket, 'behind') || socket.isEnded);
    if (answers !== '' && !acknowledged(socket, answers)) return 'it was not answered';
    if (pongs && JSON.stringify(pongs) !== JSON.stringify(socket.pongs)) {
      return `pongs ${JSON.stringify(socket.pongs)}`;
    }
    return socket.isEnded ? 'it ended' : undefined;
  } catch (error) {
    return String(error);
  } finally {
    socket.destroy();
  }
}

const groups = { framing, pings, reserved, opcodes, fragments, utf8, closes };
for (const [group, cases] of Object.entries(groups)) {
  t.test(`frames: ${group}`, async (t) => {
    for (const one of cases) t.equal(await run(one), undefined, one.name);
  });
}

t.test('the handshake is that of RFC 6455', async (t) => {
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const good = await RawSocket.open(book);
  t.equal(good.status, 101);
  t.equal(acceptOf(key), 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  t.match(good.head.toLowerCase(), `sec-websocket-accept: ${acceptOf(key)}`.toLowerCase());
  t.notMatch(good.head.toLowerCase(), 'sec-websocket-extensions');
  good.destroy();
  const agreed: [string, Parameters<typeof RawSocket.open>[1]][] = [
    ['other capitals', { headers: { Upgrade: 'WebSocket', Connection: 'upgrade' } }],
    ['more than one thing to do', { headers: { Connection: 'keep-alive, Upgrade' } }],
    ['a head in pieces', { pieces: 3 }],
    ['compression offered', { headers: { 'Sec-WebSocket-Extensions': 'permessage-deflate' } }],
    ['no subprotocol', { headers: { 'Sec-WebSocket-Protocol': undefined } }],
  ];
  for (const [name, options] of agreed) {
    const socket = await RawSocket.open(book, options);
    t.equal(socket.status, 101, name);
    t.notMatch(socket.head.toLowerCase(), 'extensions', name);
    socket.destroy();
  }
  const refused: [string, number, Parameters<typeof RawSocket.open>[1]][] = [
    ['no key', 426, { headers: { 'Sec-WebSocket-Key': undefined } }],
    ['another version', 426, { headers: { 'Sec-WebSocket-Version': '8' } }],
    ['no upgrade', 426, { headers: { Upgrade: undefined } }],
    ['an upgrade to something else', 426, { headers: { Upgrade: 'h2c' } }],
    ['another method', 405, { method: 'POST' }],
    ['no credential', 401, { headers: { Authorization: undefined } }],
    ['no framing that is spoken', 426, { headers: { 'Sec-WebSocket-Protocol': 'chat' } }],
  ];
  for (const [name, status, options] of refused) {
    const socket = await RawSocket.open(book, options);
    t.equal(socket.status, status, name);
    socket.destroy();
  }
});

t.test('others notice nothing of it', async (t) => {
  const socket = await greeted();
  await socket.send({ opcode: text, payload: life('still') });
  await socket.until(() => acknowledged(socket, 'still'));
  t.equal((await book.ask('/branches/main/state')).status, 200);
  socket.destroy();
});
