const blockBytes = 512;
const fieldBytes = {
  name: 100,
  mode: 8,
  owner: 8,
  group: 8,
  size: 12,
  time: 12,
  checksum: 8,
} as const;
const fileMode = 0o644;

export interface TarFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A tar archive (POSIX ustar) of small files with short names of ASCII. */
export async function* tarOf(
  files: AsyncIterable<TarFile>,
  timeSeconds: number,
): AsyncGenerator<Buffer> {
  for await (const { name, bytes } of files) {
    const padding = (blockBytes - (bytes.length % blockBytes)) % blockBytes;
    yield Buffer.concat([headOf(name, bytes.length, timeSeconds), bytes, Buffer.alloc(padding)]);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function headOf(name: string, byteCount: number, timeSeconds: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new RangeError(`${name} is no name for a tar`);
  const head = Buffer.alloc(blockBytes);
  head.write(name, 0, 'latin1');
  let at: number = fieldBytes.name;
  const number = (value: number, width: number): void => {
    head.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
    at += width;
  };
  number(fileMode, fieldBytes.mode);
  number(0, fieldBytes.owner);
  number(0, fieldBytes.group);
  number(byteCount, fieldBytes.size);
  number(timeSeconds, fieldBytes.time);
  // The checksum is taken with spaces in its own place.
  head.write(' '.repeat(fieldBytes.checksum), at, 'latin1');
  head.write('0', at + fieldBytes.checksum, 'latin1');
  head.write('ustar\u000000', at + fieldBytes.checksum + 101, 'latin1');
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, at, 'latin1');
  return head;
}
